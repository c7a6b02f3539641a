package dev.remat.compiler.onnx.layer;

import dev.remat.compiler.onnx.operator.IndexOperators;
import dev.remat.compiler.onnx.operator.RangeOperator;
import dev.remat.compiler.onnx.operator.TransposedConvolution;
import dev.remat.compiler.onnx.operator.WindowOperators;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Rule;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** Rows for what patterns put in the place of nodes. */
public final class LayerOperators {
    private static final SequencedMap<String, Operator> BY_NAME = byName();

    private LayerOperators() {}

    private static SequencedMap<String, Operator> byName() {
        SequencedMap<String, Operator> byName = new LinkedHashMap<>();
        Stream.of(
                        Operator.direct("Linear", use -> linear(use, new WrittenWeight.Layout.Transposed())),
                        Operator.direct("LinearByRows", use -> linear(use, new WrittenWeight.Layout.Same())),
                        Operator.direct("LinearOfShared", LayerOperators::linearOfShared),
                        Operator.direct("Embedding", Tables::embedding),
                        Operator.direct("Positions", Tables::positions),
                        Operator.direct("PositionsOf", Tables::positionsOf),
                        Operator.direct("LayerNorm", LayerOperators::layerNorm),
                        Operator.direct("RmsNorm", LayerOperators::rmsNorm),
                        Operator.direct("GroupNorm", Groups::norm),
                        Operator.direct("Conv", use -> convolution(use, WindowOperators::owning)),
                        Operator.direct("ConvTranspose", use -> convolution(use, TransposedConvolution::owning)),
                        Operator.direct("BatchNormalization", LayerOperators::batchNorm),
                        Operator.direct("Gelu", LayerOperators::gelu),
                        Operator.direct("Silu", use -> use.out().unary("silu", use.in(0))),
                        Operator.direct("HardSwish", use -> use.out().unary("hardswish", use.in(0))),
                        Operator.direct("NotEqual", use -> use.out().infix("!=", use.in(0), use.in(1))),
                        Operator.direct("Count", RangeOperator::cast),
                        Operator.direct("Expm1", use -> use.out().unary("expm1", use.in(0))),
                        Operator.direct("Log1p", use -> use.out().unary("log1p", use.in(0))),
                        Operator.direct("Gather", use -> IndexOperators.gather(use, use.in(1))),
                        Operator.direct("GatherElements", use -> IndexOperators.elements(use, use.in(1))),
                        Operator.direct("SplitHeads", Heads::split),
                        Operator.direct("MergeHeads", Heads::merge),
                        Operator.direct("LastTransposed", use -> use.out().move(use.in(0), -1, -2)),
                        Operator.direct("Attend", Heads::attend))
                .forEach(operator -> byName.put("remat::" + operator.name(), operator));
        return byName;
    }

    /** @param name with its domain */
    public static Optional<Operator> find(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** Gives a call's own parameter the numbers of an operand. */
    static void own(Use use, String owner, String parameter, int index, WrittenWeight.Layout layout) {
        Tensor weight = use.in(index);
        boolean isTransposed = layout instanceof WrittenWeight.Layout.Transposed;
        boolean isStored = weight.stored().isPresent();
        List<Long> given = weight.dims().stream().map(Dim::value).toList();
        List<Long> shape = parameter.equals("bias")
                ? List.of(given.stream().reduce(1L, (a, b) -> a * b))
                : isTransposed ? given.reversed() : given;
        use.out()
                .body()
                .own(new WrittenWeight(
                        owner + "." + parameter,
                        weight.dtype(),
                        shape,
                        weight.stored(),
                        isStored ? layout : new WrittenWeight.Layout.Same(),
                        isStored
                                ? Optional.empty()
                                : weight.constant().map(numbers -> isTransposed ? numbers.transposed() : numbers)));
    }

    private static Tensor linear(Use use, WrittenWeight.Layout layout) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        boolean isTransposed = layout instanceof WrittenWeight.Layout.Transposed;
        Dim from = use.in(1).dim(isTransposed ? 0 : 1);
        Dim to = use.in(1).dim(isTransposed ? 1 : 0);
        out.symbols().join(from, x.dim(-1));
        String owner = Owners.name(use, List.of(1, 2));
        own(use, owner, "weight", 1, layout);
        List<Object> arguments = new ArrayList<>(List.of(x, to));
        if (use.find(2).isPresent()) {
            own(use, owner, "bias", 2, new WrittenWeight.Layout.Same());
        } else {
            arguments.add(Expressions.named("bias", false));
        }
        Shape shape = x.type().shape().with(x.rank() - 1, to);
        return Owners.named(out.call("linear", x.type().with(shape), arguments.toArray()), owner);
    }

    /** One whose matrix others read, too: [out, in]. */
    private static Tensor linearOfShared(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        Dim to = use.in(1).dim(0);
        out.symbols().join(use.in(1).dim(1), x.dim(-1));
        Tensor y = out.call(
                "linear",
                x.type().with(x.type().shape().with(x.rank() - 1, to)),
                x,
                to,
                Expressions.named("weight", out.body().spell(use.in(1))),
                Expressions.named("bias", false));
        return use.find(2).isPresent() ? out.infix("+", y, use.in(2)) : y;
    }

    private static Tensor layerNorm(Use use) {
        Tensor x = use.in(0);
        use.out().symbols().join(use.in(1).dim(0), x.dim(-1));
        String owner = Owners.name(use, List.of(1, 2));
        own(use, owner, "weight", 1, new WrittenWeight.Layout.Same());
        own(use, owner, "bias", 2, new WrittenWeight.Layout.Same());
        float epsilon = use.real("epsilon", 1e-5);
        Tensor call = epsilon == 1e-5f
                ? use.out().unary("layer_norm", x)
                : use.out().unary("layer_norm", x, Expressions.named("eps", epsilon));
        return Owners.named(call, owner);
    }

    private static Tensor rmsNorm(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        float epsilon = use.real("epsilon", 1e-5);
        int axis = use.axis("axis", -1, x.rank());
        Spelling eps = Expressions.named("eps", epsilon);
        if (axis != x.rank() - 1) {
            Tensor squares = out.reduce("mean", out.unary("square", x), List.of(axis), true);
            Tensor root = out.unary("rsqrt", out.infix("+", squares, out.number(x.dtype(), epsilon)));
            return out.infix("*", out.infix("*", x, root), use.in(1));
        }
        out.symbols().join(use.in(1).dim(0), x.dim(-1));
        String owner = Owners.name(use, List.of(1));
        own(use, owner, "weight", 1, new WrittenWeight.Layout.Same());
        return Owners.named(epsilon == 1e-6f ? out.unary("rms_norm", x) : out.unary("rms_norm", x, eps), owner);
    }

    private static Tensor convolution(Use use, Rule.Single rule) {
        String owner = Owners.name(use, List.of(1, 2));
        own(use, owner, "weight", 1, new WrittenWeight.Layout.Same());
        if (use.find(2).isPresent()) {
            own(use, owner, "bias", 2, new WrittenWeight.Layout.Same());
        }
        return Owners.named(rule.write(use), owner);
    }

    private static Tensor batchNorm(Use use) {
        Tensor x = use.in(0);
        if (use.flag("training_mode", false) || !use.flag("spatial", true)) {
            throw use.detail("its batch norm is one of a training");
        }
        String owner = Owners.name(use, List.of(1, 2));
        List<String> parameters = List.of("weight", "bias", "running_mean", "running_var");
        for (int i = 0; i < parameters.size(); i++) {
            own(use, owner, parameters.get(i), i + 1, new WrittenWeight.Layout.Same());
        }
        List<Object> arguments = new ArrayList<>(List.of(x));
        float epsilon = use.real("epsilon", 1e-5);
        float momentum = use.real("momentum", 0.9);
        if (epsilon != 1e-5f) {
            arguments.add(Expressions.named("eps", epsilon));
        }
        if (momentum != 0.9f) {
            // ONNX says what stays, PyTorch what is new.
            arguments.add(Expressions.named("momentum", Math.round((1 - (double) momentum) * 1e7) / 1e7));
        }
        return Owners.named(use.out().call("batch_norm", x.type(), arguments.toArray()), owner);
    }

    private static Tensor gelu(Use use) {
        return use.text("approximate", "none").equals("tanh")
                ? use.out().unary("gelu", use.in(0), Expressions.named("approximate", "tanh"))
                : use.out().unary("gelu", use.in(0));
    }
}
