package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Excerpt;
import dev.remat.ir.plan.Tier;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Memory below the device as users write it: {@code host:64GiB:24GB/s:24GB/s:10us}. */
final class TierConverter implements ITypeConverter<Tier> {
    private static final int MOST_PARTS = 5;
    private static final Pattern TIME = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,15})?) ?([a-z]+)");
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
            long latency = parts.length == MOST_PARTS ? nanos(parts[4]) : 0;
            return new Tier(parts[0], ByteSize.parse(parts[1]), rate(parts[2]), rate(parts[3]), latency);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is no tier: " + e.getMessage());
        }
    }

    /** Bytes a second. */
    private static long rate(String text) {
        return ByteSize.parse(text.endsWith("/s") ? text.substring(0, text.length() - 2) : text);
    }

    private static long nanos(String text) {
        Matcher form = TIME.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is not a time such as 10us");
        }
        return new BigDecimal(form.group(1))
                .multiply(BigDecimal.valueOf(CostUnit.of(form.group(2)).nanos()))
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }
}
