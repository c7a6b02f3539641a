package dev.remat.tests.reference;

import dev.remat.ir.op.CtcLoss;

/**
 * Connectionist temporal classification by probabilities themselves: how likely it is that the frames so far, without
 * repetitions and then without blanks, are the first {@code k} labels, and end with a blank or with label {@code k}.
 */
final class LabelPaths {
    private LabelPaths() {}

    static Tensor losses(Evaluation e, CtcLoss op) {
        return Tensor.generate(e.type(), index -> {
            double loss = -Math.log(new Sample(e, 0, (int) index[0], op).probability(-1, -1));
            return loss == Double.POSITIVE_INFINITY && op.zeroInfinity() ? 0 : loss;
        });
    }

    /** The slope of −log p by a frame's class is minus the share that paths through it have in p. */
    static Tensor gradient(Evaluation e, CtcLoss op) {
        return Tensor.generate(e.type(), index -> {
            Sample sample = new Sample(e, 1, (int) index[1], op);
            double all = sample.probability(-1, -1);
            if (index[0] >= sample.length || all == 0 && op.zeroInfinity()) {
                return 0;
            }
            double through = sample.probability((int) index[0], (int) index[2]);
            return -e.operand(0).at(index[1]) * through / all;
        });
    }

    private static final class Sample {
        private final double[][] frames;
        private final int blank;
        private final int length;
        private final int[] labels;

        Sample(Evaluation e, int first, int number, CtcLoss op) {
            Tensor logarithms = e.operand(first);
            this.blank = (int) op.blank();
            this.length = (int) e.operand(first + 2).at(number);
            this.labels = new int[(int) e.operand(first + 3).at(number)];
            this.frames = new double[length][(int) logarithms.extent(2)];
            for (int t = 0; t < length; t++) {
                for (int c = 0; c < frames[t].length; c++) {
                    frames[t][c] = Math.exp(logarithms.at(t, number, c));
                }
            }
            for (int i = 0; i < labels.length; i++) {
                labels[i] = (int) e.operand(first + 1).at(number, i);
            }
        }

        /** Of all paths, or of those that are at {@code only} in {@code frame}. */
        double probability(int frame, int only) {
            double[] blanks = new double[labels.length + 1];
            double[] ends = new double[labels.length + 1];
            blanks[0] = 1;
            for (int t = 0; t < length; t++) {
                double[] newBlanks = new double[labels.length + 1];
                double[] newEnds = new double[labels.length + 1];
                for (int k = 0; k <= labels.length; k++) {
                    newBlanks[k] = likely(t, blank, frame, only) * (blanks[k] + ends[k]);
                    if (k > 0) {
                        boolean repeats = k > 1 && labels[k - 1] == labels[k - 2];
                        double before = ends[k] + blanks[k - 1] + (repeats ? 0 : ends[k - 1]);
                        newEnds[k] = likely(t, labels[k - 1], frame, only) * before;
                    }
                }
                blanks = newBlanks;
                ends = newEnds;
            }
            return blanks[labels.length] + ends[labels.length];
        }

        private double likely(int t, int symbol, int frame, int only) {
            return t == frame && symbol != only ? 0 : frames[t][symbol];
        }
    }
}
