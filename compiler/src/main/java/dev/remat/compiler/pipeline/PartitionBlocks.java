package dev.remat.compiler.pipeline;

import java.util.Arrays;
import java.util.Optional;

/** Blocks in a row, cut into runs of which the longest takes as little as can be: exact, by dynamic programming. */
public final class PartitionBlocks {
    private static final long NEVER = Long.MAX_VALUE;

    /** What a run of blocks takes. */
    @FunctionalInterface
    public interface Cost {
        /** Stands for a run that does not fit. */
        long TOO_LARGE = NEVER;

        /**
         * What the part {@code part} takes if it is blocks {@code from} to {@code to}, the latter exclusive; not
         * negative.
         */
        long of(int part, int from, int to);
    }

    private PartitionBlocks() {}

    /**
     * Where each part begins, the first at 0; of equally good ones that with the earliest borders. Empty where there
     * are fewer blocks than parts, or some run does not fit in any.
     */
    public static Optional<int[]> run(int blocks, int parts, Cost cost) {
        if (blocks < parts) {
            return Optional.empty();
        }
        // By part and where it ends: the least that the longest of the parts up to it takes.
        long[][] longest = new long[parts + 1][blocks + 1];
        int[][] begin = new int[parts + 1][blocks + 1];
        Arrays.fill(longest[0], NEVER);
        longest[0][0] = 0;
        for (int part = 1; part <= parts; part++) {
            Arrays.fill(longest[part], NEVER);
            for (int to = part; to <= blocks - (parts - part); to++) {
                for (int from = part - 1; from < to; from++) {
                    if (longest[part - 1][from] < longest[part][to]) {
                        long takes = Math.max(longest[part - 1][from], cost.of(part - 1, from, to));
                        if (takes < longest[part][to]) {
                            longest[part][to] = takes;
                            begin[part][to] = from;
                        }
                    }
                }
            }
        }
        if (longest[parts][blocks] == NEVER) {
            return Optional.empty();
        }
        int[] begins = new int[parts];
        int to = blocks;
        for (int part = parts; part >= 1; part--) {
            begins[part - 1] = begin[part][to];
            to = begins[part - 1];
        }
        return Optional.of(begins);
    }
}
