package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** Layer normalization in nine nodes: (x − mean)/√(mean of squares + eps)·w + b over the last axis. */
final class LayerNormPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("Add") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        for (String bias : last.inputs()) {
            Optional<OnnxNode> scaled = Wiring.other(last, bias).flatMap(other -> wiring.inner(other, "Mul"));
            if (wiring.ownWeight(bias, 1).isPresent() && scaled.isPresent()) {
                Optional<List<OnnxNode>> found = scaled(last, scaled.get(), bias, wiring);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<List<OnnxNode>> scaled(OnnxNode last, OnnxNode scaled, String bias, Wiring wiring) {
        for (String scale : scaled.inputs()) {
            Optional<OnnxNode> normal = Wiring.other(scaled, scale).flatMap(other -> wiring.inner(other, "Div"));
            if (wiring.ownWeight(scale, 1).isPresent() && normal.isPresent()) {
                return normal(last, normal.get(), scale, bias, wiring);
            }
        }
        return Optional.empty();
    }

    private static Optional<List<OnnxNode>> normal(
            OnnxNode last, OnnxNode normal, String scale, String bias, Wiring wiring) {
        String centred = normal.inputs().getFirst();
        Optional<OnnxNode> sub = wiring.maker(centred, "Sub");
        Optional<OnnxNode> sum = wiring.inner(normal.inputs().getLast(), "Sqrt")
                .flatMap(root -> wiring.inner(root.inputs().getFirst(), "Add"));
        if (sub.isEmpty() || sum.isEmpty()) {
            return Optional.empty();
        }
        String x = sub.get().inputs().getFirst();
        boolean isMean = wiring.inner(sub.get().inputs().getLast(), "ReduceMean")
                .filter(mean -> mean.inputs().getFirst().equals(x) && isLastAxis(mean, wiring))
                .isPresent();
        for (String epsilon : sum.get().inputs()) {
            boolean isVariance = Wiring.other(sum.get(), epsilon)
                    .flatMap(other -> wiring.inner(other, "ReduceMean"))
                    .filter(mean -> isLastAxis(mean, wiring))
                    .filter(mean -> isSquare(mean.inputs().getFirst(), centred, wiring))
                    .isPresent();
            if (isMean && isVariance && wiring.number(epsilon).isPresent()) {
                return Optional.of(List.of(Wiring.instead(
                        last,
                        "LayerNorm",
                        List.of(x, scale, bias),
                        Wiring.real("epsilon", wiring.number(epsilon).get()))));
            }
        }
        return Optional.empty();
    }

    private static boolean isLastAxis(OnnxNode mean, Wiring wiring) {
        return Wiring.keeps(mean)
                && wiring.axis(mean).filter(axis -> axis == -1).isPresent();
    }

    /** Whether it is the square of a value, which only this and the quotient read. */
    private static boolean isSquare(String name, String of, Wiring wiring) {
        boolean isPower = wiring.inner(name, "Pow")
                .filter(power -> power.inputs().getFirst().equals(of)
                        && wiring.isNumber(power.inputs().getLast(), 2))
                .isPresent();
        boolean isProduct = wiring.inner(name, "Mul")
                .filter(product -> product.inputs().equals(List.of(of, of)))
                .isPresent();
        return isPower && wiring.isRead(of, 2) || isProduct && wiring.isRead(of, 3);
    }
}
