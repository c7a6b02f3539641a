package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.read.OnnxGraphBody;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Branches that are decided and loops whose rounds are known while a file is read. */
final class ControlOperators {
    private static final long MOST_ROUNDS = 1024;

    private ControlOperators() {}

    static List<Operator> table() {
        return List.of(
                Operator.ifConstant("If", ControlOperators::branch),
                Operator.ifConstant("Loop", ControlOperators::loop),
                Operator.ifConstant("Scan", ControlOperators::scan));
    }

    private static List<Tensor> branch(Use use) {
        boolean isTrue = !use.known(0).integers().getFirst().is(0);
        return use.inline().write(use.graph(isTrue ? "then_branch" : "else_branch"), List.of());
    }

    private static void expectFew(long rounds) {
        if (rounds < 0 || rounds > MOST_ROUNDS) {
            throw new RefusedException(
                    "it has " + rounds + " rounds, which are written one by one up to " + MOST_ROUNDS);
        }
    }

    private static List<Tensor> loop(Use use) {
        OnnxGraphBody body = use.graph("body");
        boolean goesOn = use.knownIf(1)
                .map(condition -> !condition.integers().getFirst().is(0))
                .orElse(true);
        Optional<Constant> count = use.knownIf(0);
        long rounds = count.map(trips -> use.number(trips.integers().getFirst(), "rounds"))
                .orElse(MOST_ROUNDS + 1);
        if (count.isPresent()) {
            expectFew(rounds);
        }
        int carried = use.operands().size() - 2;
        List<Tensor> state = new ArrayList<>();
        for (int i = 0; i < carried; i++) {
            state.add(use.in(i + 2));
        }
        List<List<Tensor>> collected = new ArrayList<>();
        for (int i = carried + 1; i < body.outputs().size(); i++) {
            collected.add(new ArrayList<>());
        }
        for (long round = 0; goesOn && round < rounds; round++) {
            expectFew(round);
            List<Tensor> inputs = new ArrayList<>(List.of(
                    Tensor.of(Constant.scalar(Dim.of(round))),
                    Tensor.of(Constant.integers(DType.BOOL, List.of(), List.of(Dim.ONE)))));
            inputs.addAll(state);
            List<Tensor> results = use.inline().write(body, inputs);
            goesOn = !results.getFirst()
                    .constant()
                    .orElseThrow(() -> new RefusedException(
                            RefusedException.Kind.CONSTANT, "whether it goes on depends on data", ""))
                    .integers()
                    .getFirst()
                    .is(0);
            state = new ArrayList<>(results.subList(1, carried + 1));
            for (int i = 0; i < collected.size(); i++) {
                collected.get(i).add(results.get(carried + 1 + i));
            }
        }
        List<Tensor> all = new ArrayList<>(state);
        collected.forEach(each -> all.add(stacked(use, each, 0)));
        return all;
    }

    private static Tensor stacked(Use use, List<Tensor> parts, int axis) {
        if (parts.isEmpty()) {
            throw use.detail("it has no rounds, and what it collects is empty");
        }
        Expressions out = use.out();
        return out.concat(
                parts.stream()
                        .map(part -> out.unsqueeze(
                                part.spelling().isPresent()
                                        ? part
                                        : Tensor.of(part.type(), out.body().spell(part)),
                                axis))
                        .toList(),
                axis);
    }

    private static List<Tensor> scan(Use use) {
        if (use.opset() < 9) {
            throw use.detail("it is of version 8, whose operands have an axis of the batch");
        }
        Expressions out = use.out();
        OnnxGraphBody body = use.graph("body");
        int scanned = (int) use.integer("num_scan_inputs", 1);
        int carried = use.operands().size() - scanned;
        List<Long> axes = use.integers("scan_input_axes").orElse(Window.repeated(0, scanned));
        List<Long> backwards = use.integers("scan_input_directions").orElse(Window.repeated(0, scanned));
        int outputs = body.outputs().size() - carried;
        List<Long> outputAxes = use.integers("scan_output_axes").orElse(Window.repeated(0, outputs));
        List<Long> outputBackwards = use.integers("scan_output_directions").orElse(Window.repeated(0, outputs));
        List<Tensor> state = new ArrayList<>();
        for (int i = 0; i < carried; i++) {
            state.add(use.in(i));
        }
        List<List<Tensor>> collected = new ArrayList<>();
        for (int i = 0; i < outputs; i++) {
            collected.add(new ArrayList<>());
        }
        Tensor first = use.in(carried);
        long rounds = use.extent(first, use.axis(axes.getFirst(), first.rank()));
        expectFew(rounds);
        for (long round = 0; round < rounds; round++) {
            List<Tensor> inputs = new ArrayList<>(state);
            for (int i = 0; i < scanned; i++) {
                Tensor x = use.in(carried + i);
                int axis = use.axis(axes.get(i), x.rank());
                long at = backwards.get(i) == 1 ? rounds - 1 - round : round;
                inputs.add(out.let(out.squeeze(out.slice(x, axis, Dim.of(at), Dim.of(at + 1), 1), axis)));
            }
            List<Tensor> results = use.inline().write(body, inputs);
            state = new ArrayList<>(results.subList(0, carried));
            for (int i = 0; i < outputs; i++) {
                if (outputBackwards.get(i) == 1) {
                    collected.get(i).addFirst(results.get(carried + i));
                } else {
                    collected.get(i).add(results.get(carried + i));
                }
            }
        }
        List<Tensor> all = new ArrayList<>(state);
        for (int i = 0; i < outputs; i++) {
            int rank = collected.get(i).getFirst().rank() + 1;
            all.add(stacked(use, collected.get(i), use.axis(outputAxes.get(i), rank)));
        }
        return all;
    }
}
