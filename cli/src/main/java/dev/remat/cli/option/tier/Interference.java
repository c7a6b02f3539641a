package dev.remat.cli.option.tier;

import dev.remat.cli.console.Excerpt;
import java.math.BigDecimal;

/** What kernels lose to bytes that are moved beside them, as users write it: {@code 60ms/GB}, {@code 60us/MB}. */
public final class Interference {
    private static final long MICRO = 1_000;
    private static final long MEGA_PER_GIGA = 1_000;
    private static final String PER_MEGABYTE = "/MB";
    private static final String PER_GIGABYTE = "/GB";

    private Interference() {}

    /**
     * Nanoseconds to 10^6 bytes, rounded up.
     *
     * @throws IllegalArgumentException if the text says none
     */
    public static long parse(String text) {
        boolean giga = text.endsWith(PER_GIGABYTE);
        if (!giga && !text.endsWith(PER_MEGABYTE)) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is not a time for bytes such as 60ms/GB");
        }
        String time = text.substring(0, text.length() - PER_MEGABYTE.length());
        return CostUnit.nanos(time, giga ? BigDecimal.valueOf(MEGA_PER_GIGA) : BigDecimal.ONE);
    }

    /** What stands behind other parts, as {@link #parse} reads it; nothing where nothing is lost. */
    public static String suffix(long nanosPerMegabyte) {
        boolean whole = nanosPerMegabyte % MICRO == 0;
        return nanosPerMegabyte == 0
                ? ""
                : ":" + (whole ? nanosPerMegabyte / MICRO + "us" : nanosPerMegabyte + "ns") + PER_MEGABYTE;
    }
}
