package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Recurrent networks as PyTorch's, which own their weights: gates come in another order there. */
final class RecurrentOperators {
    /**
     * What distinguishes the three.
     *
     * @param gates PyTorch's, by their places in ONNX
     * @param usual activations of one direction
     */
    private record Kind(String function, List<Integer> gates, List<String> usual) {}

    private static final Kind RNN = new Kind("rnn", List.of(0), List.of("Tanh"));
    private static final Kind GRU = new Kind("gru", List.of(1, 0, 2), List.of("Sigmoid", "Tanh"));
    /** From input, output, forget, cell to input, forget, cell, output. */
    private static final Kind LSTM = new Kind("lstm", List.of(0, 2, 3, 1), List.of("Sigmoid", "Tanh", "Tanh"));

    private static final int STATES_OF_LSTM = 6;

    private RecurrentOperators() {}

    static List<Operator> table() {
        return List.of(
                Operator.several("RNN", How.DIRECT, use -> network(use, RNN)),
                Operator.several("GRU", How.DIRECT, RecurrentOperators::gru),
                Operator.several("LSTM", How.DIRECT, use -> network(use, LSTM)));
    }

    private static List<Tensor> gru(Use use) {
        return use.flag("linear_before_reset", false) ? network(use, GRU) : UnrolledGru.run(use);
    }

    /** Refuses what no network of PyTorch's does. */
    static void check(Use use, List<String> usual, int directions) {
        if (use.has("clip") || use.flag("input_forget", false)) {
            throw use.detail("it clips its cells or couples its gates");
        }
        if (use.find(7).isPresent()) {
            throw use.detail("it has peepholes");
        }
        List<String> all = new ArrayList<>();
        for (int i = 0; i < directions; i++) {
            all.addAll(usual);
        }
        List<String> said = use.texts("activations");
        if (!said.isEmpty() && !said.equals(all)) {
            throw use.detail("its activations are " + said + ", not " + all);
        }
        use.find(4).ifPresent(lengths -> {
            int time = use.flag("layout", false) ? 1 : 0;
            boolean isWhole = lengths.constant().isPresent()
                    && lengths.constant().get().integers().stream()
                            .allMatch(use.in(0).dim(time)::equals);
            if (!isWhole) {
                throw new RefusedException(
                        RefusedException.Kind.CONSTANT,
                        "its sequences are of lengths that depend on data",
                        "--set " + use.node().inputs().get(4) + "=… fixes them if all are whole");
            }
        });
    }

    private static List<Tensor> network(Use use, Kind kind) {
        Expressions out = use.out();
        String direction = use.text("direction", "forward");
        int directions = direction.equals("bidirectional") ? 2 : 1;
        List<String> activations = use.texts("activations");
        boolean isRelu = kind.equals(RNN)
                && !activations.isEmpty()
                && activations.stream().allMatch("Relu"::equals);
        check(use, isRelu ? List.of("Relu") : kind.usual(), directions);
        boolean batchFirst = use.flag("layout", false);
        boolean isReversed = direction.equals("reverse");
        int time = batchFirst ? 1 : 0;
        Tensor x = isReversed ? out.flip(use.in(0), time) : use.in(0);
        long hidden = use.extent(use.in(2), 2);
        String owner = out.body().names().fresh(kind.function() + "_weights");
        for (int i = 0; i < directions; i++) {
            own(use, kind, owner, i, hidden);
        }
        List<Object> arguments = new ArrayList<>(List.of(x, hidden));
        if (isRelu) {
            arguments.add(Expressions.named("nonlinearity", "relu"));
        }
        if (use.find(3).isEmpty()) {
            arguments.add(Expressions.named("bias", false));
        }
        arguments.add(Expressions.named("batch_first", batchFirst));
        if (directions == 2) {
            arguments.add(Expressions.named("bidirectional", true));
        }
        state(use, 5, batchFirst)
                .ifPresent(h -> arguments.add(Expressions.named("h0", out.body().spell(h))));
        if (kind.equals(LSTM)) {
            state(use, STATES_OF_LSTM, batchFirst)
                    .ifPresent(c ->
                            arguments.add(Expressions.named("c0", out.body().spell(c))));
        }
        Spelling call = out.spelling(kind.function(), arguments.toArray());
        Spelling named = new Spelling(call.text() + " as " + owner, Spelling.ATOM, call.reads());
        Dim steps = x.dim(time);
        Dim batch = x.dim(1 - time);
        Dim size = Dim.of(hidden);
        List<Dim> rows = batchFirst ? List.of(batch, steps) : List.of(steps, batch);
        TensorType y = x.type().with(new Shape(List.of(rows.get(0), rows.get(1), size.times(directions))));
        TensorType last = x.type().with(new Shape(List.of(Dim.of(directions), batch, size)));
        List<Tensor> results = kind.equals(LSTM)
                ? out.body().bindNested(named, List.of(y, last, last))
                : out.body().bindTuple(named, List.of(y, last));
        List<Tensor> asOnnx = new ArrayList<>();
        Tensor whole = isReversed ? out.flip(results.getFirst(), time) : results.getFirst();
        Tensor apart = out.reshape(whole, List.of(rows.get(0), rows.get(1), Dim.of(directions), size));
        asOnnx.add(batchFirst ? apart : out.permute(apart, List.of(0, 2, 1, 3)));
        for (Tensor state : results.subList(1, results.size())) {
            asOnnx.add(batchFirst ? out.permute(state, List.of(1, 0, 2)) : state);
        }
        return asOnnx;
    }

    /** A state to begin with, [directions, batch, hidden]. */
    private static Optional<Tensor> state(Use use, int index, boolean batchFirst) {
        Tensor x = use.in(0);
        use.find(index)
                .ifPresent(state -> use.out().symbols().join(x.dim(batchFirst ? 0 : 1), state.dim(batchFirst ? 0 : 1)));
        return use.find(index).map(state -> batchFirst ? use.out().permute(state, List.of(1, 0, 2)) : state);
    }

    private static void own(Use use, Kind kind, String owner, int direction, long hidden) {
        String suffix = "_l0" + (direction == 1 ? "_reverse" : "");
        long width = use.extent(use.in(1), 2);
        int gates = kind.gates().size();
        matrix(use, kind, owner, "weight_ih" + suffix, 1, direction, hidden, width);
        matrix(use, kind, owner, "weight_hh" + suffix, 2, direction, hidden, hidden);
        if (use.find(3).isPresent()) {
            for (int half = 0; half < 2; half++) {
                List<WrittenWeight.Range> parts = new ArrayList<>();
                for (int gate : kind.gates()) {
                    long from = ((direction * 2L + half) * gates + gate) * hidden;
                    parts.add(new WrittenWeight.Range(from, from + hidden));
                }
                use.out()
                        .body()
                        .own(
                                owner,
                                (half == 0 ? "bias_ih" : "bias_hh") + suffix,
                                List.of(gates * hidden),
                                constant(use, 3),
                                parts);
            }
        }
    }

    private static void matrix(
            Use use, Kind kind, String owner, String name, int operand, int direction, long hidden, long width) {
        int gates = kind.gates().size();
        List<WrittenWeight.Range> parts = new ArrayList<>();
        for (int gate : kind.gates()) {
            long from = (direction * (long) gates + gate) * hidden * width;
            parts.add(new WrittenWeight.Range(from, from + hidden * width));
        }
        use.out().body().own(owner, name, List.of(gates * hidden, width), constant(use, operand), parts);
    }

    private static Tensor constant(Use use, int operand) {
        if (use.in(operand).stored().isEmpty()) {
            use.known(operand);
        }
        return use.in(operand);
    }
}
