package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Excerpt;
import dev.remat.ir.plan.Tier;
import dev.remat.runtime.lane.MeasurePlace.Rates;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * How fast memory below the device is reached, as users write it: {@code 1.5GB/s:2GB/s:80us}.
 *
 * @param latencyNanos that every transfer takes beside its bytes
 */
record LinkRates(long storeBytesPerSecond, long fetchBytesPerSecond, long latencyNanos) {
    private static final long MEGA = 1_000_000;
    private static final long MICRO = 1_000;
    private static final Pattern TIME = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,15})?) ?([a-z]+)");

    /** @throws IllegalArgumentException if the text says no rates */
    static LinkRates parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 2 && parts.length != 3) {
            throw new IllegalArgumentException("STORE:FETCH or STORE:FETCH:LATENCY is expected");
        }
        return new LinkRates(rate(parts[0]), rate(parts[1]), parts.length == 3 ? nanos(parts[2]) : 0);
    }

    /** @throws IllegalArgumentException if a rate is zero */
    Tier tier(String name, long bytes) {
        return new Tier(name, bytes, storeBytesPerSecond, fetchBytesPerSecond, latencyNanos);
    }

    /** Rates that were measured, of which small parts are chance. */
    static LinkRates measured(Rates rates) {
        return new LinkRates(
                whole(rates.store(), MEGA), whole(rates.fetch(), MEGA), whole(rates.latencyNanos(), MICRO));
    }

    /** A multiple of the unit, and at least that. */
    private static long whole(double amount, long unit) {
        return Math.max(1, Math.round(amount / unit)) * unit;
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return text(storeBytesPerSecond) + ":" + text(fetchBytesPerSecond) + ":"
                + (latencyNanos % MICRO == 0 ? latencyNanos / MICRO + "us" : latencyNanos + "ns");
    }

    private static String text(long rate) {
        return rate % MEGA == 0 ? rate / MEGA + "MB/s" : rate + "B/s";
    }

    private static long rate(String text) {
        return ByteSize.parse(text.endsWith("/s") ? text.substring(0, text.length() - 2) : text);
    }

    private static long nanos(String text) {
        Matcher form = TIME.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is not a time such as 10us");
        }
        BigDecimal nanos = new BigDecimal(form.group(1))
                .multiply(BigDecimal.valueOf(CostUnit.of(form.group(2)).nanos()))
                .setScale(0, RoundingMode.CEILING);
        if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is too long");
        }
        return nanos.longValueExact();
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
