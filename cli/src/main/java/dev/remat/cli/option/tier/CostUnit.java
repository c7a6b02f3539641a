package dev.remat.cli.option.tier;

import dev.remat.cli.console.Excerpt;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A unit of time, by the name that users write. */
public enum CostUnit {
    NS(1),
    US(1_000),
    MS(1_000_000),
    S(1_000_000_000);

    private static final Pattern TIME = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,15})?) ?([a-z]+)");

    private final long nanos;

    CostUnit(long nanos) {
        this.nanos = nanos;
    }

    long nanos() {
        return nanos;
    }

    /**
     * A part of the time that a text such as {@code 10us} says, rounded up.
     *
     * @throws IllegalArgumentException if it says none
     */
    public static long nanos(String text, BigDecimal part) {
        Matcher form = TIME.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is not a time such as 10us");
        }
        BigDecimal nanos = new BigDecimal(form.group(1))
                .multiply(BigDecimal.valueOf(of(form.group(2)).nanos()))
                .divide(part, 0, RoundingMode.CEILING);
        if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is too long");
        }
        return nanos.longValueExact();
    }

    /** @throws IllegalArgumentException if there is none of that name */
    static CostUnit of(String name) {
        return Arrays.stream(values())
                .filter(unit -> unit.toString().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("'" + Excerpt.of(name) + "' is not one of ns, us, ms and s"));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<CostUnit> {
        @Override
        public CostUnit convert(String name) {
            try {
                return of(name);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
