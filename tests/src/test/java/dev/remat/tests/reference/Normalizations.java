package dev.remat.tests.reference;

import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import java.util.ArrayList;
import java.util.List;

/** Normalization and its total gradient. */
final class Normalizations {
    private Normalizations() {}

    static List<Tensor> statistics(Evaluation e, NormStatistics op) {
        Tensor x = e.operand(0);
        double count = (double) x.elements() / e.type().elements();
        Tensor mean = Tensor.zeros(e.type());
        if (op.centered()) {
            Tensor.forEachIndex(x.type().shape(), i -> mean.addRepeated(x.at(i) / count, i));
        }
        Tensor variance = Tensor.zeros(e.type());
        Tensor.forEachIndex(x.type().shape(), i -> {
            double distance = x.at(i) - mean.repeated(i);
            variance.addRepeated(distance * distance / count, i);
        });
        return op.centered() ? List.of(mean, variance) : List.of(variance);
    }

    static Tensor normalize(Evaluation e, Normalize op) {
        return Tensor.generate(e.type(), index -> {
            double mean = op.centered() ? e.operand(1).repeated(index) : 0;
            double deviation = Math.sqrt(e.operand(op.varianceIndex()).repeated(index) + op.epsilon());
            double gamma = op.scaled() ? e.operand(op.gammaIndex()).repeated(index) : 1;
            double beta = op.shifted() ? e.operand(op.betaIndex()).repeated(index) : 0;
            return (e.operand(0).at(index) - mean) / deviation * gamma + beta;
        });
    }

    static List<Tensor> gradient(Evaluation e, NormalizeGradient op) {
        Tensor dy = e.operand(0);
        Tensor x = e.operand(1);
        Tensor variance = e.operand(op.varianceIndex());
        Tensor normal = Tensor.generate(x.type(), i -> {
            double mean = op.centered() ? e.operand(2).repeated(i) : 0;
            return (x.at(i) - mean) / Math.sqrt(variance.repeated(i) + op.epsilon());
        });
        Tensor scaled = Tensor.generate(
                x.type(),
                i -> dy.at(i) * (op.scaled() ? e.operand(op.gammaIndex()).repeated(i) : 1));
        double count = (double) x.elements() / variance.elements();
        Tensor meanGradient = Tensor.zeros(variance.type());
        Tensor meanProduct = Tensor.zeros(variance.type());
        Tensor.forEachIndex(x.type().shape(), i -> {
            meanGradient.addRepeated(op.centered() ? scaled.at(i) / count : 0, i);
            meanProduct.addRepeated(scaled.at(i) * normal.at(i) / count, i);
        });
        List<Tensor> results = new ArrayList<>();
        results.add(Tensor.generate(x.type(), i -> {
            double centered = scaled.at(i) - meanGradient.repeated(i) - normal.at(i) * meanProduct.repeated(i);
            return centered / Math.sqrt(variance.repeated(i) + op.epsilon());
        }));
        if (op.scaled()) {
            Tensor gamma = Tensor.zeros(e.types().get(1));
            Tensor.forEachIndex(x.type().shape(), i -> gamma.addRepeated(dy.at(i) * normal.at(i), i));
            results.add(gamma);
        }
        if (op.shifted()) {
            Tensor beta = Tensor.zeros(e.types().get(2));
            Tensor.forEachIndex(x.type().shape(), i -> beta.addRepeated(dy.at(i), i));
            results.add(beta);
        }
        return results;
    }
}
