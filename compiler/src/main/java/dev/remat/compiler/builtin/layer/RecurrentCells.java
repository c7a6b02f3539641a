package dev.remat.compiler.builtin.layer;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.ir.Dim;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Unary;
import java.util.List;

/** Steps of recurrent networks, from what the affine maps of input and state give; gates are in PyTorch's order. */
final class RecurrentCells {
    private RecurrentCells() {}

    /** Gates input, forget, cell, output {@code [B, 4·size]}, and c, to h and c (Hochreiter and Schmidhuber, 1997). */
    static List<ValueId> lstm(ValueId gates, ValueId c, Dim size, Emission out) {
        ValueId input = out.unary(Unary.Kind.SIGMOID, gate(gates, 0, size, out));
        ValueId forget = out.unary(Unary.Kind.SIGMOID, gate(gates, 1, size, out));
        ValueId candidate = out.unary(Unary.Kind.TANH, gate(gates, 2, size, out));
        ValueId output = out.unary(Unary.Kind.SIGMOID, gate(gates, 3, size, out));
        ValueId next = out.add(out.mul(forget, c), out.mul(input, candidate));
        return List.of(out.mul(output, out.unary(Unary.Kind.TANH, next)), next);
    }

    /** Gates reset, update, new of both maps {@code [B, 3·size]}, and h, to h (Cho et al., 2014). */
    static ValueId gru(ValueId fromInput, ValueId fromHidden, ValueId h, Dim size, Emission out) {
        ValueId reset =
                out.unary(Unary.Kind.SIGMOID, out.add(gate(fromInput, 0, size, out), gate(fromHidden, 0, size, out)));
        ValueId update =
                out.unary(Unary.Kind.SIGMOID, out.add(gate(fromInput, 1, size, out), gate(fromHidden, 1, size, out)));
        ValueId candidate = out.unary(
                Unary.Kind.TANH,
                out.add(gate(fromInput, 2, size, out), out.mul(reset, gate(fromHidden, 2, size, out))));
        return out.add(candidate, out.mul(update, out.sub(h, candidate)));
    }

    /** As the argument {@code nonlinearity} says. */
    static Unary.Kind nonlinearity(Arguments args) {
        return switch (args.text("nonlinearity")) {
            case "tanh" -> Unary.Kind.TANH;
            case "relu" -> Unary.Kind.RELU;
            default ->
                throw new SemanticError(
                        "E0306", "'nonlinearity' is \"tanh\" or \"relu\", not \"" + args.text("nonlinearity") + "\"");
        };
    }

    /** Columns of gate {@code index}. */
    private static ValueId gate(ValueId all, int index, Dim size, Emission out) {
        return SelectionFunctions.part(all, 1, size.times(index), size, out);
    }
}
