package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initials;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Recurrent networks over a sequence of known length, unrolled. The product of the input is one for all steps; within,
 * the axis of time comes first, so that each step reads a contiguous part.
 */
public final class RecurrentLayers {
    private static final String COMMON = "num_layers: int = 1, %sbias: bool = true, batch_first: bool = true, "
            + "dropout: float = 0.0, bidirectional: bool = false, h0: tensor = none, %sinit: init = none";
    private static final String PARAMETERS = "`weight_ih_l0` [%1$s, in], `weight_hh_l0` [%1$s, H], `bias_ih_l0`, "
            + "`bias_hh_l0` [%1$s], with further layers `_l1` and backwards `_reverse`";

    private RecurrentLayers() {}

    public static List<Builtin> table() {
        return List.of(
                network(
                        "rnn",
                        COMMON.formatted("nonlinearity: string = \"tanh\", ", ""),
                        "Elman's network over [B, T, in], to the outputs [B, T, H] and the last h [num_layers, B, H]; "
                                + PARAMETERS.formatted("H") + ".",
                        1),
                network(
                        "lstm",
                        COMMON.formatted("", "c0: tensor = none, "),
                        "LSTM over [B, T, in], to the outputs [B, T, H] and the last (h, c), each [num_layers, B, H]; "
                                + PARAMETERS.formatted("4H") + ".",
                        4),
                network(
                        "gru",
                        COMMON.formatted("", ""),
                        "GRU over [B, T, in], to the outputs [B, T, H] and the last h [num_layers, B, H]; "
                                + PARAMETERS.formatted("3H") + ".",
                        3));
    }

    private static Builtin network(String name, String signature, String summary, int gates) {
        return Builtin.layer(
                name,
                "x: tensor, hidden_size: int, " + signature,
                summary,
                (args, out) -> new Network(name, gates, args, out).run());
    }

    /** What one call unrolls. */
    private static final class Network {
        private final String name;
        private final int gates;
        private final Arguments args;
        private final Emission out;
        private final Dim size;
        private final int layers;
        private final int directions;
        private final TensorType state;

        Network(String name, int gates, Arguments args, Emission out) {
            this.name = name;
            this.gates = gates;
            this.args = args;
            this.out = out;
            this.size = args.dim("hidden_size");
            this.layers = args.smallInteger("num_layers");
            this.directions = args.flag("bidirectional") ? 2 : 1;
            TensorType type = Tensors.ranked(name, out.type(args.tensor("x")), 3);
            this.state = type.with(new Shape(List.of(type.dim(args.flag("batch_first") ? 0 : 1), size)));
            double drop = args.real("dropout");
            if (layers < 1 || layers > 10_000) {
                throw new SemanticError("E0306", "'num_layers' is from 1 to 10000, not " + layers);
            } else if (!(drop >= 0 && drop < 1)) {
                throw new SemanticError("E0306", "a dropout of " + drop + " is not from 0 to below 1");
            }
        }

        Datum run() {
            boolean batchFirst = args.flag("batch_first");
            List<Integer> exchanged = List.of(1, 0, 2);
            ValueId x = args.tensor("x");
            x = batchFirst ? out.transpose(x, exchanged) : x;
            List<ValueId> lastH = new ArrayList<>();
            List<ValueId> lastC = new ArrayList<>();
            for (int layer = 0; layer < layers; layer++) {
                List<ValueId> outputs = new ArrayList<>();
                for (int direction = 0; direction < directions; direction++) {
                    outputs.add(along(x, layer, direction == 1, lastH, lastC));
                }
                x = joined(outputs, 2);
                double drop = args.real("dropout");
                if (drop > 0 && layer < layers - 1) {
                    x = out.dropout(x, drop);
                }
            }
            Datum h = tensor(joined(lastH, 0));
            Datum last = name.equals("lstm") ? new Datum.ListValue(List.of(h, tensor(joined(lastC, 0))), true) : h;
            return new Datum.ListValue(List.of(tensor(batchFirst ? out.transpose(x, exchanged) : x), last), true);
        }

        /** One layer in one direction: [T, B, in] to [T, B, H]. */
        private ValueId along(ValueId x, int layer, boolean backwards, List<ValueId> lastH, List<ValueId> lastC) {
            String suffix = "_l" + layer + (backwards ? "_reverse" : "");
            TensorType type = out.type(x);
            Dim rows = size.times(gates);
            ValueId weight = own("weight_ih" + suffix, new Shape(List.of(rows, type.dim(2))));
            ValueId hidden = own("weight_hh" + suffix, new Shape(List.of(rows, size)));
            ValueId input = Tensors.matmul(x, weight, false, true, out);
            ValueId shift = input;
            if (args.flag("bias")) {
                input = shifted(input, own("bias_ih" + suffix, new Shape(List.of(rows))));
                shift = own("bias_hh" + suffix, new Shape(List.of(rows)));
            }
            // Only the GRU multiplies what comes from the hidden state before it is added to what comes from the input.
            boolean isShiftInside = args.flag("bias") && name.equals("gru");
            if (args.flag("bias") && !isShiftInside) {
                input = shifted(input, shift);
            }
            int length = (int) Numbers.known(type.dim(0));
            ValueId h = first("h0", layer, backwards);
            ValueId c = name.equals("lstm") ? first("c0", layer, backwards) : h;
            List<ValueId> outputs = new ArrayList<>(Collections.nCopies(length, h));
            for (int step = 0; step < length; step++) {
                int time = backwards ? length - 1 - step : step;
                ValueId fromInput = part(input, time);
                ValueId fromHidden = Tensors.matmul(h, hidden, false, true, out);
                fromHidden = isShiftInside ? shifted(fromHidden, shift) : fromHidden;
                switch (name) {
                    case "lstm" -> {
                        List<ValueId> next = RecurrentCells.lstm(out.add(fromInput, fromHidden), c, size, out);
                        h = next.get(0);
                        c = next.get(1);
                    }
                    case "gru" -> h = RecurrentCells.gru(fromInput, fromHidden, h, size, out);
                    default -> h = out.unary(RecurrentCells.nonlinearity(args), out.add(fromInput, fromHidden));
                }
                outputs.set(time, inTime(h));
            }
            lastH.add(inTime(h));
            lastC.add(inTime(c));
            return joined(outputs, 0);
        }

        private ValueId own(String parameter, Shape shape) {
            return out.parameter(
                    parameter,
                    state.with(shape),
                    args.initial("init", Initials.within(1 / Math.sqrt(Numbers.known(size)))));
        }

        private ValueId shifted(ValueId x, ValueId bias) {
            return out.add(x, out.expand(bias, out.type(x).shape()));
        }

        /** The state before the first step: the argument [layers·directions, B, H], or zeros. */
        private ValueId first(String argument, int layer, boolean backwards) {
            if (!args.isGiven(argument)) {
                return out.filled(0, state);
            }
            ValueId given = args.tensor(argument);
            TensorType wanted =
                    state.with(new Shape(List.of(Dim.of((long) layers * directions), state.dim(0), state.dim(1))));
            if (!out.type(given).equals(wanted)) {
                throw new SemanticError(
                        "E0301", "'" + argument + "' must be " + wanted + ", and is " + out.type(given));
            }
            return part(given, layer * directions + (backwards ? 1 : 0));
        }

        /** Element {@code index} along axis 0, without that axis. */
        private ValueId part(ValueId x, int index) {
            TensorType type = out.type(x);
            List<Dim> starts = List.of(Dim.of(index), Dim.ZERO, Dim.ZERO);
            ValueId part =
                    out.apply(new Slice(starts, type.shape().with(0, Dim.ONE).dims()), x);
            return out.reshape(part, new Shape(List.of(type.dim(1), type.dim(2))));
        }

        /** [B, H] as [1, B, H]. */
        private ValueId inTime(ValueId h) {
            return out.reshape(h, new Shape(List.of(Dim.ONE, state.dim(0), state.dim(1))));
        }

        private ValueId joined(List<ValueId> parts, int axis) {
            return parts.size() == 1
                    ? parts.getFirst()
                    : out.emit(new Concat(axis), parts).getFirst();
        }
    }
}
