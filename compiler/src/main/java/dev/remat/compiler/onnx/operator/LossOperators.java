package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;

/** Losses, whose classes are along axis 1. */
final class LossOperators {
    /** What no class is called, where nothing is ignored. */
    private static final long NONE = -100;

    private LossOperators() {}

    static List<Operator> table() {
        return List.of(
                Operator.direct("NegativeLogLikelihoodLoss", use -> loss(use, "nll_loss", use.in(0))),
                Operator.several("SoftmaxCrossEntropyLoss", How.DIRECT, LossOperators::crossEntropy));
    }

    private static List<Tensor> crossEntropy(Use use) {
        Tensor logits = use.in(0);
        if (!use.wants(1)) {
            return List.of(loss(use, "cross_entropy", logits));
        }
        Object[] axis = logits.rank() == 2 ? new Object[0] : new Object[] {Expressions.named("axis", 1)};
        Tensor probabilities = use.out().let(use.out().unary("log_softmax", logits, axis));
        return List.of(loss(use, "nll_loss", probabilities), probabilities);
    }

    private static Tensor loss(Use use, String function, Tensor scores) {
        Expressions out = use.out();
        Tensor x = out.move(scores, 1, -1);
        Tensor targets = use.in(1);
        String reduction = use.text("reduction", "mean");
        List<Object> arguments = new ArrayList<>(List.of(x, targets));
        use.find(2)
                .ifPresent(weight ->
                        arguments.add(Expressions.named("weight", out.body().spell(weight))));
        long ignored = use.integer("ignore_index", NONE);
        if (ignored != NONE) {
            arguments.add(Expressions.named("ignore_index", ignored));
        }
        if (!reduction.equals("mean")) {
            arguments.add(Expressions.named("reduction", reduction));
        }
        List<Dim> dims = reduction.equals("none") ? targets.dims() : List.of();
        return out.call(function, x.type().with(new Shape(dims)), arguments.toArray());
    }
}
