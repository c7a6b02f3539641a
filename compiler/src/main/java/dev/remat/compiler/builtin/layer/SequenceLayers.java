package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.Initials;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Attention;
import java.util.ArrayList;
import java.util.List;

/** Attention, dropout and recurrent cells. */
public final class SequenceLayers {
    private static final String CELL =
            "hidden_size: int, bias: bool = true, weight_ih: tensor = none, weight_hh: tensor = none, "
                    + "bias_ih: tensor = none, bias_hh: tensor = none, init: init = none";

    private SequenceLayers() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "dropout",
                        "x: tensor, p: float = 0.5",
                        "Zeroes elements with probability `p` and divides the others by 1 − p; nothing in evaluation.",
                        (args, out) -> {
                            double p = args.real("p");
                            if (!(p >= 0 && p < 1)) {
                                throw new SemanticError("E0306", "a dropout of " + p + " is not from 0 to below 1");
                            }
                            return p == 0 ? args.any("x") : tensor(out.dropout(args.tensor("x"), p));
                        }),
                Builtin.function(
                        "attention",
                        "q: tensor, k: tensor, v: tensor, mask: tensor = none, causal: bool = false, "
                                + "scale: float = none, bias: tensor = none",
                        "softmax(scale·q·kᵀ + bias)·v on [B, H, T, D]; `scale` is 1/√D unless given. Neighbouring"
                            + " heads of q share one of k and v where these have fewer, a number that divides H. The"
                            + " bool `mask` repeats to [B, H, T, S] and is true where a query attends to a key; so"
                            + " does the float `bias`, which is trained like any tensor. `causal` lets query i see"
                            + " keys 0 to i, as PyTorch's `is_causal` does, also of more keys than queries: where the"
                            + " T queries are the last of S, it is `mask = causal_mask(T, S)`.",
                        SequenceLayers::attention),
                Builtin.layer(
                        "lstm_cell",
                        "x: tensor, h: tensor, c: tensor, " + CELL,
                        "One step of an LSTM (Hochreiter and Schmidhuber, 1997), to (h, c); `weight_ih` [4H, in], "
                                + "`weight_hh` [4H, H], gates in the order input, forget, cell, output.",
                        SequenceLayers::lstm),
                Builtin.layer(
                        "gru_cell",
                        "x: tensor, h: tensor, " + CELL,
                        "One step of a GRU (Cho et al., 2014), to h; `weight_ih` [3H, in], `weight_hh` [3H, H], gates "
                                + "in the order reset, update, new.",
                        SequenceLayers::gru));
    }

    private static Datum attention(Arguments args, Emission out) {
        ValueId q = args.tensor("q");
        TensorType type = Tensors.ranked("attention", out.type(q), 4);
        double scale = args.isGiven("scale") ? args.real("scale") : 1 / Math.sqrt(Numbers.known(type.dim(3)));
        List<ValueId> operands = new ArrayList<>(List.of(q, args.tensor("k"), args.tensor("v")));
        boolean masked = args.isGiven("mask");
        if (masked) {
            operands.add(ofRankFour(args.tensor("mask"), out));
        }
        boolean biased = args.isGiven("bias");
        if (biased) {
            operands.add(ofRankFour(args.tensor("bias"), out));
        }
        Attention op = new Attention(scale, args.flag("causal"), masked, biased);
        return tensor(out.emit(op, operands).getFirst());
    }

    /** With axes of extent 1 in front. */
    private static ValueId ofRankFour(ValueId x, Emission out) {
        List<Dim> dims = new ArrayList<>(out.type(x).shape().dims());
        while (dims.size() < 4) {
            dims.addFirst(Dim.ONE);
        }
        return out.reshape(x, new Shape(dims));
    }

    private static Datum lstm(Arguments args, Emission out) {
        Cell cell = new Cell(4, args, out);
        ValueId gates = out.add(cell.input(), cell.hidden());
        List<ValueId> next = RecurrentCells.lstm(gates, args.tensor("c"), args.dim("hidden_size"), out);
        return new Datum.ListValue(List.of(tensor(next.get(0)), tensor(next.get(1))), true);
    }

    private static Datum gru(Arguments args, Emission out) {
        Cell cell = new Cell(3, args, out);
        ValueId fromInput = cell.input();
        return tensor(RecurrentCells.gru(fromInput, cell.hidden(), args.tensor("h"), args.dim("hidden_size"), out));
    }

    /** The two affine maps of a recurrent cell, {@code gates} of them side by side; starts uniform on ±1/√H. */
    private record Cell(int gates, Arguments args, Emission out) {
        ValueId input() {
            return affine("x", "weight_ih", "bias_ih");
        }

        ValueId hidden() {
            return affine("h", "weight_hh", "bias_hh");
        }

        private ValueId affine(String operand, String weight, String bias) {
            ValueId x = args.tensor(operand);
            TensorType type = Tensors.ranked("a recurrent cell", out.type(x), 2);
            Dim rows = args.dim("hidden_size").times(gates);
            ValueId y =
                    Tensors.matmul(x, own(weight, type.with(new Shape(List.of(rows, type.dim(1))))), false, true, out);
            if (!args.flag("bias")) {
                return y;
            }
            ValueId shift = own(bias, type.with(new Shape(List.of(rows))));
            return out.add(y, out.expand(shift, out.type(y).shape()));
        }

        private ValueId own(String name, TensorType wanted) {
            if (args.isGiven(name)) {
                TensorType given = out.type(args.tensor(name));
                if (!given.equals(wanted)) {
                    throw new SemanticError("E0301", "'" + name + "' must be " + wanted + ", and is " + given);
                }
                return args.tensor(name);
            }
            Initial fallback = Initials.within(1 / Math.sqrt(args.integer("hidden_size")));
            return out.parameter(name, wanted, args.initial("init", fallback));
        }
    }
}
