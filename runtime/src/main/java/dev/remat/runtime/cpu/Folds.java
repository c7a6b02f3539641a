package dev.remat.runtime.cpu;

/** Folds staged rows into one accumulator for each lane. */
final class Folds {
    private Folds() {
    }

    /** Folds {@code rows} rows of {@code lanes} values into {@code sums} from {@code at} on. */
    static void into(Reduction.Fold fold, double[] values, int rows, int lanes, double[] sums, int at) {
        switch (fold) {
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
