package dev.remat.benchmarks.libtorch;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Symbols and hyper-parameters as {@code --set} has them, such as {@code B=8,T=64,drop=0.1}.
 *
 * @param values by name
 */
record Sizes(Map<String, Double> values) {
    static Sizes parse(String settings) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (String setting : settings.split(",")) {
            String[] parts = setting.split("=", 2);
            values.put(parts[0], Double.valueOf(parts[1]));
        }
        return new Sizes(values);
    }

    /** A symbol, which has no usual value. */
    long of(String symbol) {
        return values.get(symbol).longValue();
    }

    long or(String name, long usual) {
        Double given = values.get(name);
        return given == null ? usual : given.longValue();
    }

    double or(String name, double usual) {
        return values.getOrDefault(name, usual);
    }
}
