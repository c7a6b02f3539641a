package dev.remat.compiler.builtin.layer;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initials;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Weights of linear layers and convolutions, perhaps made of their directions and their lengths (Salimans and Kingma,
 * 2016): {@code g·v/‖v‖}, with a length for each slice along the first axis. The parameters are called as PyTorch calls
 * them, {@code weight_g [n, 1, …]} and {@code weight_v}; g starts as the lengths of v, so that the weight starts as v.
 */
final class WeightNorm {
    /** How the argument is declared. */
    static final String SLOT = "weight_norm: bool = false";

    private WeightNorm() {}

    /** The weight that was given, or one of the call's own. */
    static ValueId weight(Arguments args, TensorType wanted, Emission out) {
        if (!args.flag("weight_norm")) {
            return LinearLayers.weight(args, wanted, Initials.weight(), out);
        }
        if (args.isGiven("weight")) {
            throw new SemanticError("E0203", "'weight_norm' is without effect on a weight that is given");
        }
        ValueId v = out.parameter("weight_v", wanted, args.initial("init", Initials.weight()));
        List<Dim> single = new ArrayList<>(Collections.nCopies(wanted.rank(), Dim.ONE));
        single.set(0, wanted.dim(0));
        Shape slices = new Shape(single);
        long run = Numbers.known(new Shape(wanted.shape().dims().subList(1, wanted.rank())).elements());
        ValueId g = out.parameter("weight_g", wanted.with(slices), out.lengths(v, run));
        List<Integer> axes = IntStream.range(1, wanted.rank()).boxed().toList();
        ValueId factor = out.div(g, lengths(v, axes, out));
        return out.mul(v, out.expand(factor, wanted.shape()));
    }

    /** As {@code norm} of the prelude gives them. */
    private static ValueId lengths(ValueId v, List<Integer> axes, Emission out) {
        ValueId wide = Tensors.wide(v, out);
        ValueId squares = out.sum(out.mul(wide, wide), axes);
        TensorType type = out.type(squares);
        ValueId isZero = out.compare(Compare.Kind.EQ, squares, 0);
        ValueId root = out.unary(Unary.Kind.SQRT, out.select(isZero, out.filled(1, type), squares));
        return out.cast(
                out.select(isZero, out.filled(0, type), root), out.type(v).dtype());
    }
}
