package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Excerpt;
import dev.remat.ir.plan.Tier;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Memory below the device as users write it: {@code host:64GiB:24GB/s:24GB/s:10us}. */
final class TierConverter implements ITypeConverter<Tier> {
    private static final int MOST_PARTS = 5;
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

    @Override
    public Tier convert(String text) {
        String[] parts = text.split(":", -1);
        try {
            if (parts.length != MOST_PARTS && parts.length != MOST_PARTS - 1) {
                throw new IllegalArgumentException(
                        "NAME:SIZE:STORE:FETCH or NAME:SIZE:STORE:FETCH:LATENCY is expected");
            }
            if (!NAME.matcher(parts[0]).matches() || parts[0].equals("device")) {
                throw new IllegalArgumentException("a tier cannot be called '" + Excerpt.of(parts[0]) + "'");
            }
            LinkRates rates = LinkRates.parse(text.substring(parts[0].length() + parts[1].length() + 2));
            return rates.tier(parts[0], ByteSize.parse(parts[1]));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is no tier: " + e.getMessage());
        }
    }
}
