package dev.remat.cli.report;

import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;

/** Measured numbers for people: four decimals, or three and an exponent where those would say nothing. */
public final class ScalarText {
    private static final double SMALLEST_PLAIN = 1e-3;
    private static final double LARGEST_PLAIN = 1e5;

    private ScalarText() {}

    public static String of(double value) {
        double size = Math.abs(value);
        boolean plain = size == 0 || size >= SMALLEST_PLAIN && size < LARGEST_PLAIN || !Double.isFinite(value);
        return String.format(Locale.ROOT, plain ? "%.4f" : "%.3e", value);
    }

    /** Names with their values, each with {@code separator} before it. */
    static String of(String separator, SequencedMap<String, Double> values) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Double> value : values.entrySet()) {
            text.append(separator).append(value.getKey()).append(' ').append(of(value.getValue()));
        }
        return text.toString();
    }
}
