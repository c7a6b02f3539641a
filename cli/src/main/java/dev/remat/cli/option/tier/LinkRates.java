package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Excerpt;
import dev.remat.ir.plan.Tier;
import dev.remat.runtime.profile.MeasurePlace.Rates;
import java.math.BigDecimal;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * How fast memory below the device is reached, as users write it: {@code 1.5GB/s:2GB/s:80us:60ms/GB}.
 *
 * @param latencyNanos that every transfer takes beside its bytes
 * @param interferenceNanosPerMegabyte what kernels lose to what is moved
 */
record LinkRates(
        long storeBytesPerSecond, long fetchBytesPerSecond, long latencyNanos, long interferenceNanosPerMegabyte) {
    /** What parts can be given. */
    static final String FORM = "STORE:FETCH:LATENCY:INTERFERENCE";
    /** The same as a sentence. */
    static final String EXPECTED = FORM + " is expected, of which LATENCY and INTERFERENCE may be left out";

    private static final long MEGA = 1_000_000;
    private static final long MICRO = 1_000;
    private static final int LEAST_PARTS = 2;
    private static final int MOST_PARTS = 4;

    /** @throws IllegalArgumentException if the text says no rates */
    static LinkRates parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length < LEAST_PARTS || parts.length > MOST_PARTS) {
            throw new IllegalArgumentException(EXPECTED);
        }
        return new LinkRates(
                rate(parts[0]),
                rate(parts[1]),
                parts.length > LEAST_PARTS ? CostUnit.nanos(parts[2], BigDecimal.ONE) : 0,
                parts.length == MOST_PARTS ? Interference.parse(parts[3]) : 0);
    }

    /** @throws IllegalArgumentException if a rate is zero */
    Tier tier(String name, long bytes) {
        return new Tier(
                name, bytes, storeBytesPerSecond, fetchBytesPerSecond, latencyNanos, interferenceNanosPerMegabyte);
    }

    /** Rates that were measured, of which small parts are chance. */
    static LinkRates measured(Rates rates) {
        return new LinkRates(
                whole(rates.store(), MEGA),
                whole(rates.fetch(), MEGA),
                whole(rates.latencyNanos(), MICRO),
                (rates.interferenceNanosPerMegabyte() + MICRO / 2) / MICRO * MICRO);
    }

    /** A multiple of the unit, and at least that. */
    private static long whole(double amount, long unit) {
        return Math.max(1, Math.round(amount / unit)) * unit;
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return text(storeBytesPerSecond) + ":" + text(fetchBytesPerSecond) + ":" + time(latencyNanos)
                + Interference.suffix(interferenceNanosPerMegabyte);
    }

    private static String time(long nanos) {
        return nanos % MICRO == 0 ? nanos / MICRO + "us" : nanos + "ns";
    }

    private static String text(long rate) {
        return rate % MEGA == 0 ? rate / MEGA + "MB/s" : rate + "B/s";
    }

    private static long rate(String text) {
        return ByteSize.parse(text.endsWith("/s") ? text.substring(0, text.length() - 2) : text);
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<LinkRates> {
        @Override
        public LinkRates convert(String text) {
            try {
                LinkRates rates = parse(text);
                if (rates.storeBytesPerSecond == 0 || rates.fetchBytesPerSecond == 0) {
                    throw new IllegalArgumentException("rates must be above zero");
                }
                return rates;
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + Excerpt.of(text) + "' says no rates: " + e.getMessage());
            }
        }
    }
}
