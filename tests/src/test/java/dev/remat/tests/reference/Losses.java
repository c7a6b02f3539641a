package dev.remat.tests.reference;

import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.MeanLoss;
import java.util.Arrays;
import java.util.List;

/** Cross-entropy over rows of logits. */
final class Losses {
    private Losses() {}

    static List<Tensor> crossEntropy(Evaluation e, CrossEntropy op) {
        Tensor logits = e.operand(0);
        Tensor lse = new Tensor(e.types().get(1), Reductions.logSumExp(logits).data());
        long classes = logits.extent(1);
        double[] losses = new double[(int) logits.extent(0)];
        long counted = 0;
        for (long row = 0; row < logits.extent(0); row++) {
            long target = (long) e.operand(1).at(row);
            if (target == op.ignoreIndex()) {
                continue;
            }
            counted++;
            for (long c = 0; c < classes; c++) {
                double weight = weight(op.labelSmoothing(), classes, c == target);
                // A class that cannot be, and that nobody wants, has no part in it.
                losses[(int) row] -= weight == 0 ? 0 : weight * (logits.at(row, c) - lse.at(row));
            }
        }
        Tensor loss = op.perRow()
                ? Tensor.of(e.type(), losses)
                : Tensor.of(e.type(), Arrays.stream(losses).sum() / counted);
        return List.of(loss, lse);
    }

    static Tensor mean(Evaluation e, MeanLoss op) {
        double sum = 0;
        long counted = 0;
        for (long row = 0; row < e.operand(0).extent(0); row++) {
            sum += e.operand(0).at(row);
            counted += (long) e.operand(1).at(row) == op.ignoreIndex() ? 0 : 1;
        }
        return Tensor.of(e.type(), sum / counted);
    }

    static Tensor crossEntropyGradient(Evaluation e, CrossEntropy op) {
        Tensor logits = e.operand(1);
        Tensor targets = e.operand(2);
        Tensor lse = e.operand(3);
        long counted = 0;
        for (double target : e.operand(e.operands().size() == 5 ? 4 : 2).data()) {
            counted += (long) target == op.ignoreIndex() ? 0 : 1;
        }
        double mean = op.perRow() ? 0 : e.operand(0).scalar() / counted;
        return Tensor.generate(e.type(), index -> {
            long target = (long) targets.at(index[0]);
            if (target == op.ignoreIndex()) {
                return 0;
            }
            double wanted = weight(op.labelSmoothing(), logits.extent(1), index[1] == target);
            double share = op.perRow() ? e.operand(0).at(index[0]) : mean;
            return share * (Math.exp(logits.at(index) - lse.at(index[0])) - wanted);
        });
    }

    private static double weight(double smoothing, long classes, boolean isTarget) {
        return smoothing / classes + (isTarget ? 1 - smoothing : 0);
    }
}
