package dev.remat.runtime.cpu.reduce;

import dev.remat.runtime.cpu.support.Sums;

/** Reduces staged rows into one accumulator for each lane. */
final class RowReduction {
    private RowReduction() {}

    /** Reduces one row of {@code count} values from {@code from} on into one accumulator. */
    static void row(Reduction.Kind kind, double[] values, int from, int count, double[] sums, int at) {
        switch (kind) {
            case SUM -> sums[at] += Sums.of(values, from, count);
            case SUM_OF_SQUARES -> sums[at] += Sums.ofSquares(values, from, count);
            case MAX -> {
                for (int i = from; i < from + count; i++) {
                    sums[at] = Math.max(sums[at], values[i]);
                }
            }
            case MIN -> {
                for (int i = from; i < from + count; i++) {
                    sums[at] = Math.min(sums[at], values[i]);
                }
            }
            case PROD -> {
                for (int i = from; i < from + count; i++) {
                    sums[at] *= values[i];
                }
            }
        }
    }

    /** Reduces {@code rows} rows of {@code lanes} values into {@code sums} from {@code at} on. */
    static void into(Reduction.Kind kind, double[] values, int rows, int lanes, double[] sums, int at) {
        switch (kind) {
            case SUM -> {
                if (lanes == 1) {
                    sums[at] += Sums.of(values, 0, rows);
                } else {
                    for (int row = 0; row < rows; row++) {
                        addRow(values, row * lanes, lanes, sums, at);
                    }
                }
            }
            case SUM_OF_SQUARES -> {
                if (lanes == 1) {
                    sums[at] += Sums.ofSquares(values, 0, rows);
                } else {
                    for (int row = 0; row < rows; row++) {
                        addSquares(values, row * lanes, lanes, sums, at);
                    }
                }
            }
            case MAX -> {
                for (int row = 0; row < rows; row++) {
                    for (int i = 0; i < lanes; i++) {
                        sums[at + i] = Math.max(sums[at + i], values[row * lanes + i]);
                    }
                }
            }
            case MIN -> {
                for (int row = 0; row < rows; row++) {
                    for (int i = 0; i < lanes; i++) {
                        sums[at + i] = Math.min(sums[at + i], values[row * lanes + i]);
                    }
                }
            }
            case PROD -> {
                for (int row = 0; row < rows; row++) {
                    for (int i = 0; i < lanes; i++) {
                        sums[at + i] *= values[row * lanes + i];
                    }
                }
            }
        }
    }

    /** The same for sums of floats, four rows at a time: each lane adds them up in the same order. */
    static void addRows(float[] values, int rows, int lanes, double[] sums, int at) {
        int row = 0;
        for (; row + 4 <= rows; row += 4) {
            int first = row * lanes;
            int second = first + lanes;
            int third = second + lanes;
            int fourth = third + lanes;
            for (int i = 0; i < lanes; i++) {
                sums[at + i] =
                        sums[at + i] + values[first + i] + values[second + i] + values[third + i] + values[fourth + i];
            }
        }
        for (; row < rows; row++) {
            int first = row * lanes;
            for (int i = 0; i < lanes; i++) {
                sums[at + i] += values[first + i];
            }
        }
    }

    private static void addRow(double[] values, int from, int lanes, double[] sums, int at) {
        for (int i = 0; i < lanes; i++) {
            sums[at + i] += values[from + i];
        }
    }

    private static void addSquares(double[] values, int from, int lanes, double[] sums, int at) {
        for (int i = 0; i < lanes; i++) {
            double value = values[from + i];
            sums[at + i] += value * value;
        }
    }
}
