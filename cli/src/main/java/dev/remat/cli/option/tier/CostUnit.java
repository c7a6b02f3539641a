package dev.remat.cli.option.tier;

import dev.remat.cli.console.Excerpt;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A unit of time, by the name that users write. */
enum CostUnit {
    NS(1),
    US(1_000),
    MS(1_000_000),
    S(1_000_000_000);

    private final long nanos;

    CostUnit(long nanos) {
        this.nanos = nanos;
    }

    long nanos() {
        return nanos;
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
