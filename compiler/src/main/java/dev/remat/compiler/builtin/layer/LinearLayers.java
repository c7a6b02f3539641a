package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Einsum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.Initials;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.Slice;
import java.util.List;

/** Matrix products and tables. */
public final class LinearLayers {
    private static final Initial GPT = new Initial.Fixed(new Initializer.Normal(0, 0.02));
    private static final Initial STANDARD = new Initial.Fixed(new Initializer.Normal(0, 1));

    private LinearLayers() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "matmul",
                        "a: tensor, b: tensor, transpose_a: bool = false, transpose_b: bool = false",
                        "Matrix product of the last two axes; `a @ b`. A flag exchanges an operand's last two axes.",
                        (args, out) -> tensor(Tensors.matmul(
                                args.tensor("a"),
                                args.tensor("b"),
                                args.flag("transpose_a"),
                                args.flag("transpose_b"),
                                out))),
                Einsum.BUILTIN,
                Builtin.layer(
                        "linear",
                        "x: tensor, out_features: int, bias: bool = true, weight: tensor = none, init: init = none, "
                                + "bias_init: init = none, " + WeightNorm.SLOT,
                        "x·Wᵀ + b over the last axis; `weight` [out, in], `bias` [out].",
                        LinearLayers::linear),
                Builtin.layer(
                        "embedding",
                        "ids: tensor, num_embeddings: int, embedding_dim: int, weight: tensor = none, "
                                + "init: init = none",
                        "Rows of the table `weight` [num_embeddings, embedding_dim]; starts as a standard Gaussian.",
                        LinearLayers::embedding),
                Builtin.layer(
                        "positions",
                        "length: int, width: int, max: int = none, weight: tensor = none, init: init = none",
                        "The first `length` rows of the table `weight` [max, width]; starts as normal(std = 0.02).",
                        LinearLayers::positions));
    }

    private static Datum linear(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        if (type.rank() == 0) {
            throw new SemanticError("E0301", "linear works along the last axis, and a scalar has none");
        }
        Dim inputs = type.dim(type.rank() - 1);
        Dim outputs = args.dim("out_features");
        TensorType wanted = type.with(new Shape(List.of(outputs, inputs)));
        ValueId weight = WeightNorm.weight(args, wanted, out);
        ValueId rows = type.rank() == 1 ? out.reshape(x, new Shape(List.of(Dim.ONE, inputs))) : x;
        ValueId y = Tensors.matmul(rows, weight, false, true, out);
        if (type.rank() == 1) {
            y = out.reshape(y, new Shape(List.of(outputs)));
        }
        if (args.flag("bias")) {
            ValueId bias = out.parameter("bias", type.with(new Shape(List.of(outputs))), bias(args, inputs));
            y = out.add(y, out.expand(bias, out.type(y).shape()));
        }
        return tensor(y);
    }

    private static Datum embedding(Arguments args, Emission out) {
        TensorType table =
                new TensorType(DType.F32, new Shape(List.of(args.dim("num_embeddings"), args.dim("embedding_dim"))));
        ValueId weight = weight(args, table, STANDARD, out);
        return tensor(out.apply(new Embedding(), weight, args.tensor("ids")));
    }

    private static Datum positions(Arguments args, Emission out) {
        Dim length = args.dim("length");
        Dim width = args.dim("width");
        Dim most = args.isGiven("max") ? args.dim("max") : length;
        ValueId weight = weight(args, new TensorType(DType.F32, new Shape(List.of(most, width))), GPT, out);
        boolean tooLong = length.isConstant() && most.isConstant() && length.value() > most.value();
        if (tooLong) {
            throw new SemanticError("E0306", "there are " + most + " positions, and " + length + " are wanted");
        }
        return tensor(
                length.equals(most)
                        ? weight
                        : out.apply(new Slice(List.of(Dim.ZERO, Dim.ZERO), List.of(length, width)), weight));
    }

    /** The weight that was given, or one of the call's own. */
    static ValueId weight(Arguments args, TensorType wanted, Initial fallback, Emission out) {
        if (!args.isGiven("weight")) {
            return out.parameter("weight", wanted, args.initial("init", fallback));
        }
        if (args.isGiven("init")) {
            throw new SemanticError("E0203", "'init' is without effect on a weight that is given");
        }
        ValueId given = args.tensor("weight");
        if (!out.type(given).equals(wanted)) {
            throw new SemanticError("E0301", "the weight must be " + wanted + ", and is " + out.type(given));
        }
        return given;
    }

    /** PyTorch's default for biases: uniform on ±1/√fan_in. */
    static Initial bias(Arguments args, Dim fanIn) {
        return args.isGiven("bias_init")
                ? args.initial("bias_init", Initial.ZEROS)
                : Initials.within(1 / Math.sqrt(Numbers.known(fanIn)));
    }
}
