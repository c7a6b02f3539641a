package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Excerpt;
import dev.remat.ir.plan.Tier;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Memory below the device as users write it: {@code host:64GiB:24GB/s:24GB/s:10us:60us/MB}. */
final class TierConverter implements ITypeConverter<Tier> {
    private static final int LEAST_PARTS = 4;
    private static final int MOST_PARTS = 6;
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

    @Override
    public Tier convert(String text) {
        String[] parts = text.split(":", -1);
        try {
            if (parts.length < LEAST_PARTS || parts.length > MOST_PARTS) {
                throw new IllegalArgumentException("NAME:SIZE:" + LinkRates.EXPECTED);
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
