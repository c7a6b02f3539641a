package dev.remat.cli.option;

import dev.remat.cli.console.Excerpt;
import dev.remat.cli.console.Progress;
import dev.remat.compiler.plan.SearchListener;
import java.math.BigDecimal;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How long a search may take. */
public final class TimeLimit {
    private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(1_000_000);

    @Option(
            names = "--time-limit",
            paramLabel = "SECONDS",
            converter = Converter.class,
            description = "End the search after so long with the best found. Without it, searches are bounded"
                    + " by counted work, and the same input has the same answer.")
    private Duration limit;

    /** Whether the user has set one. */
    public boolean isGiven() {
        return limit != null;
    }

    /** Tells {@code progress} what is tried until time is up, counted from now. */
    public SearchListener from(Progress progress) {
        long begin = System.nanoTime();
        Duration most = limit;
        return new SearchListener() {
            @Override
            public void trying(String what) {
                progress.tell(what);
            }

            @Override
            public boolean expired() {
                return most != null && System.nanoTime() - begin > most.toNanos();
            }
        };
    }

    /** Seconds above zero, with fractions. */
    static final class Converter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                BigDecimal seconds = new BigDecimal(text.strip());
                if (seconds.signum() > 0 && seconds.compareTo(MOST_SECONDS) <= 0) {
                    return Duration.ofNanos(seconds.movePointRight(9).longValue());
                }
            } catch (NumberFormatException e) {
                throw new TypeConversionException("'" + Excerpt.of(text) + "' is not a number of seconds");
            }
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is not above 0 and up to 1000000 seconds");
        }
    }
}
