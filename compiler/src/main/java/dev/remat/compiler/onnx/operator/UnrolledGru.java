package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A GRU that resets before its linear map, unlike PyTorch's: step by step, over so many steps as are known. */
final class UnrolledGru {
    private static final long MOST_STEPS = 1024;

    private UnrolledGru() {}

    static List<Tensor> run(Use use) {
        Expressions out = use.out();
        String direction = use.text("direction", "forward");
        int directions = direction.equals("bidirectional") ? 2 : 1;
        RecurrentOperators.check(use, List.of("Sigmoid", "Tanh"), directions);
        boolean batchFirst = use.flag("layout", false);
        Tensor x = batchFirst ? out.let(out.permute(use.in(0), List.of(1, 0, 2))) : use.in(0);
        long steps = use.extent(x, 0);
        if (steps > MOST_STEPS) {
            throw use.detail("it has " + steps + " steps, which are written one by one up to " + MOST_STEPS);
        }
        List<List<Tensor>> byDirection = new ArrayList<>();
        for (int i = 0; i < directions; i++) {
            boolean isReversed = direction.equals("reverse") || i == 1;
            byDirection.add(steps(use, x, (int) steps, i, isReversed, batchFirst));
        }
        List<Tensor> rows = new ArrayList<>();
        for (int t = 0; t < steps; t++) {
            int at = t;
            rows.add(out.unsqueeze(
                    stack(out, byDirection.stream().map(all -> all.get(at)).toList()), 0));
        }
        Tensor y = out.let(out.concat(rows, 0));
        Tensor last = out.let(stack(
                out,
                IntStream.range(0, directions)
                        .mapToObj(i ->
                                byDirection.get(i).get(direction.equals("reverse") || i == 1 ? 0 : (int) steps - 1))
                        .toList()));
        return batchFirst
                ? List.of(out.permute(y, List.of(2, 0, 1, 3)), out.permute(last, List.of(1, 0, 2)))
                : List.of(y, last);
    }

    private static Tensor stack(Expressions out, List<Tensor> parts) {
        return out.concat(parts.stream().map(part -> out.unsqueeze(part, 0)).toList(), 0);
    }

    private static Tensor part(Expressions out, Tensor x, int direction) {
        return out.squeeze(out.slice(x, 0, Dim.of(direction), Dim.of(direction + 1), 1), 0);
    }

    private static Tensor named(Use use, int index) {
        Tensor value = use.in(index);
        return value.isConstant() ? Tensor.of(value.type(), use.out().body().spell(value)) : value;
    }

    private static List<Tensor> steps(
            Use use, Tensor x, int count, int direction, boolean isReversed, boolean batchFirst) {
        Expressions out = use.out();
        Dim hidden = use.in(2).dim(2);
        long size = use.extent(use.in(2), 2);
        Tensor w = out.let(part(out, named(use, 1), direction));
        Tensor r = out.let(part(out, named(use, 2), direction));
        Optional<Tensor> b = use.find(3).map(_ -> out.let(part(out, named(use, 3), direction)));
        Tensor h = use.find(5)
                .map(_ -> named(use, 5))
                .map(state -> batchFirst ? out.permute(state, List.of(1, 0, 2)) : state)
                .map(state -> out.let(part(out, state, direction)))
                .orElseGet(() -> zero(out, x, hidden));
        Tensor[] results = new Tensor[count];
        for (int step = 0; step < count; step++) {
            int t = isReversed ? count - 1 - step : step;
            Tensor row = out.let(out.squeeze(out.slice(x, 0, Dim.of(t), Dim.of(t + 1), 1), 0));
            Tensor update = out.let(out.unary(
                    "sigmoid", out.infix("+", gate(out, row, w, b, 0, size), gate(out, h, r, b, 3, size, 0))));
            Tensor reset = out.let(out.unary(
                    "sigmoid", out.infix("+", gate(out, row, w, b, 1, size), gate(out, h, r, b, 4, size, 1))));
            Tensor candidate = out.let(out.unary(
                    "tanh",
                    out.infix(
                            "+",
                            gate(out, row, w, b, 2, size),
                            gate(out, out.let(out.infix("*", reset, h)), r, b, 5, size, 2))));
            Tensor kept = out.infix("-", out.number(x.dtype(), 1), update);
            h = out.let(out.infix("+", out.infix("*", kept, candidate), out.infix("*", update, h)));
            results[t] = h;
        }
        return List.of(results);
    }

    private static Tensor zero(Expressions out, Tensor x, Dim hidden) {
        Shape shape = new Shape(List.of(x.dim(1), hidden));
        return out.let(out.call(
                "zeros",
                x.type().with(shape),
                shape.dims(),
                Expressions.named("dtype", Spelling.literal(x.dtype().label()))));
    }

    private static Tensor gate(Expressions out, Tensor x, Tensor w, Optional<Tensor> b, int bias, long size) {
        return gate(out, x, w, b, bias, size, bias);
    }

    /** One gate's linear map. */
    private static Tensor gate(Expressions out, Tensor x, Tensor w, Optional<Tensor> b, int bias, long size, int gate) {
        Tensor rows = out.slice(w, 0, Dim.of(gate * size), Dim.of((gate + 1) * size), 1);
        Tensor product = out.matmul(x, out.permute(rows, List.of(1, 0)));
        return b.map(all ->
                        out.infix("+", product, out.slice(all, 0, Dim.of(bias * size), Dim.of((bias + 1) * size), 1)))
                .orElse(product);
    }
}
