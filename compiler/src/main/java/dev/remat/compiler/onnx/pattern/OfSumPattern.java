package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** e^x − 1 and log(1 + x) as they are exported from here, by what loses no digits near 0. */
final class OfSumPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        Optional<String> x = Optional.empty();
        String operator = "";
        if (last.operator().equals("Mul")) {
            x = exponential(last, wiring);
            operator = "Expm1";
        } else if (last.operator().equals("Where") && last.inputs().size() == 3) {
            x = logarithm(last, wiring);
            operator = "Log1p";
        }
        String found = operator;
        return x.map(name -> List.of(Wiring.instead(last, found, List.of(name))));
    }

    /** x of tanh(x/2)·(e^x + 1). */
    private static Optional<String> exponential(OnnxNode product, Wiring wiring) {
        for (String factor : product.inputs()) {
            Optional<String> x = wiring.inner(factor, "Tanh")
                    .flatMap(tanh -> wiring.inner(tanh.inputs().getFirst(), "Mul"))
                    .flatMap(half -> without(half, 0.5, wiring));
            Optional<String> same = Wiring.other(product, factor)
                    .flatMap(sum -> wiring.inner(sum, "Add"))
                    .flatMap(sum -> without(sum, 1, wiring))
                    .flatMap(power -> wiring.inner(power, "Exp"))
                    .map(power -> power.inputs().getFirst());
            if (x.isPresent() && x.equals(same)) {
                return x;
            }
        }
        return Optional.empty();
    }

    /** x of where(|x| < 0.5, 2·artanh(x/(x + 2)), log(x + 1)). */
    private static Optional<String> logarithm(OnnxNode choice, Wiring wiring) {
        Optional<String> x = wiring.inner(choice.inputs().get(2), "Log")
                .flatMap(log -> wiring.inner(log.inputs().getFirst(), "Add"))
                .flatMap(sum -> without(sum, 1, wiring));
        boolean isNear = wiring.inner(choice.inputs().getFirst(), "Less")
                .filter(less -> wiring.isNumber(less.inputs().getLast(), 0.5))
                .flatMap(less -> wiring.inner(less.inputs().getFirst(), "Abs"))
                .map(size -> size.inputs().getFirst())
                .equals(x);
        Optional<OnnxNode> quotient = wiring.inner(choice.inputs().get(1), "Mul")
                .flatMap(twice -> without(twice, 2, wiring))
                .flatMap(half -> wiring.inner(half, "Atanh"))
                .flatMap(half -> wiring.inner(half.inputs().getFirst(), "Div"));
        boolean isSeries = quotient.flatMap(div -> wiring.inner(div.inputs().getLast(), "Add"))
                        .flatMap(sum -> without(sum, 2, wiring))
                        .equals(x)
                && quotient.map(div -> div.inputs().getFirst()).equals(x);
        return x.filter(_ -> isNear && isSeries);
    }

    /** The operand beside a number. */
    private static Optional<String> without(OnnxNode node, double number, Wiring wiring) {
        return node.inputs().stream()
                .filter(input -> wiring.isNumber(input, number))
                .findFirst()
                .flatMap(input -> Wiring.other(node, input));
    }
}
