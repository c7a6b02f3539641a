package dev.remat.compiler.layout;

import java.util.List;

/**
 * The lowest layout that a search found.
 *
 * @param offsets one a buffer
 * @param height the largest end of a buffer
 * @param liveSum largest sum of sizes that are live together
 * @param lowerBound proven: no layout is lower; at least {@code liveSum}
 * @param foundBy the method that found it
 */
public record FoundLayout(List<Long> offsets, long height, long liveSum, long lowerBound, Method foundBy) {
    /** How a layout was found. */
    public enum Method {
        GREEDY("greedy"),
        REPAIR("repaired greedy"),
        COARSE("coarse search"),
        COMPLETE("complete search");

        private final String label;

        Method(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    public FoundLayout {
        offsets = List.copyOf(offsets);
    }

    /** Whether no layout is lower. */
    public boolean isOptimal() {
        return height == lowerBound;
    }
}
