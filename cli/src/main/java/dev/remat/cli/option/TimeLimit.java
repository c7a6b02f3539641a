package dev.remat.cli.option;

import dev.remat.cli.console.Excerpt;
import dev.remat.cli.console.Progress;
import dev.remat.compiler.plan.SearchListener;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * How long a command may take: searches end in time for what comes after them. Counted from the start of the process,
 * over all that the command does.
 */
public final class TimeLimit {
    private static final int MOST_SECONDS = 1_000_000;

    @Option(
            names = "--time-limit",
            paramLabel = "SECONDS",
            converter = Converter.class,
            description = "End the search so that the command takes about so long in all, with the best found. Without"
                    + " it, searches are bounded by counted work, and the same input has the same answer.")
    private Duration limit;

    private final LongSupplier nanos;
    private final long begin;
    /** Nanoseconds that the longest of what was rehearsed took. */
    private final AtomicLong reserve = new AtomicLong();

    /** For picocli, which makes it when it reads the command line. */
    public TimeLimit() {
        this(System::nanoTime, began());
    }

    /**
     * With another clock.
     *
     * @param already nanoseconds that the command has taken by now
     */
    TimeLimit(LongSupplier nanos, long already) {
        this.nanos = nanos;
        begin = nanos.getAsLong() - already;
    }

    /** Nanoseconds since the launcher began, where one did. */
    private static long began() {
        long micros = Long.getLong("remat.began", 0);
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        return micros == 0 ? 0 : TimeUnit.MICROSECONDS.toNanos(Math.max(0, now - micros));
    }

    /** Whether the user has set one. */
    public boolean isGiven() {
        return limit != null;
    }

    /** How long the user has given the command. */
    public Optional<Duration> given() {
        return Optional.ofNullable(limit);
    }

    /** Tells {@code progress} what is tried until time is up. */
    public SearchListener from(Progress progress) {
        return from(progress, 1);
    }

    /** The same for a search that others follow. */
    public SearchListener halfFrom(Progress progress) {
        return from(progress, 2);
    }

    /**
     * Does what comes once more after the search, or takes as long as something that does, as reading a graph does and
     * writing its plan: searches end by as much earlier.
     */
    public <T> T rehearse(Supplier<T> work) {
        long from = nanos.getAsLong();
        T made = work.get();
        reserve.accumulateAndGet(nanos.getAsLong() - from, Math::max);
        return made;
    }

    private SearchListener from(Progress progress, int parts) {
        return limit == null
                ? progress::tell
                : new Countdown(progress, begin + limit.dividedBy(parts).toNanos());
    }

    /** Expires before its end. */
    private final class Countdown implements SearchListener {
        private final Progress progress;
        private final long end;

        Countdown(Progress progress, long end) {
            this.progress = progress;
            this.end = end;
        }

        @Override
        public void trying(String what) {
            progress.tell(what);
        }

        @Override
        public boolean expired() {
            return nanos.getAsLong() - end > -reserve.get();
        }

        @Override
        public <T> T rehearse(Supplier<T> work) {
            return TimeLimit.this.rehearse(work);
        }

        @Override
        public SearchListener halfOfRest() {
            long left = end - reserve.get() - nanos.getAsLong();
            return new Countdown(progress, end - Math.max(0, left) / 2);
        }
    }

    /** Seconds above zero, with fractions. */
    static final class Converter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                BigDecimal seconds = new BigDecimal(text.strip());
                if (seconds.signum() > 0 && seconds.compareTo(BigDecimal.valueOf(MOST_SECONDS)) <= 0) {
                    return Duration.ofNanos(seconds.movePointRight(9).longValue());
                }
            } catch (NumberFormatException e) {
                throw new TypeConversionException("'" + Excerpt.of(text) + "' is not a number of seconds");
            }
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is not above 0 and up to 1000000 seconds");
        }
    }
}
