package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Normalizations and dropout. */
final class NormalizationOperators {
    /** From this version on, scales of group normalization are of channels. */
    private static final int SCALES_OF_CHANNELS = 21;

    private static final int SEVERAL_RESULTS = 14;

    private NormalizationOperators() {}

    static List<Operator> table() {
        return List.of(
                Operator.several("BatchNormalization", How.DIRECT, NormalizationOperators::batch),
                Operator.several("LayerNormalization", How.DIRECT, NormalizationOperators::layer),
                direct("RMSNormalization", NormalizationOperators::rootMeanSquare),
                direct("InstanceNormalization", NormalizationOperators::instance),
                direct("GroupNormalization", NormalizationOperators::group),
                direct("LpNormalization", NormalizationOperators::length),
                composed("MeanVarianceNormalization", NormalizationOperators::meanVariance),
                direct("LRN", NormalizationOperators::localResponse),
                Operator.several("Dropout", How.DIRECT, NormalizationOperators::dropout));
    }

    /** A tensor [C] beside one whose axis 1 has C channels. */
    private static Tensor ofChannels(Use use, Tensor channels, int rank) {
        List<Dim> dims = new ArrayList<>(channels.dims());
        IntStream.range(2, rank).forEach(_ -> dims.add(Dim.ONE));
        return use.out().reshape(channels, dims);
    }

    private static Spelling epsilon(Use use, double usual) {
        return Expressions.named("eps", use.real("epsilon", usual));
    }

    private static Tensor affine(Use use, Tensor normal, Tensor scale, Optional<Tensor> shift) {
        Tensor scaled = use.out().infix("*", normal, scale);
        return shift.map(bias -> use.out().infix("+", scaled, bias)).orElse(scaled);
    }

    private static List<Tensor> batch(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        boolean isTraining = use.opset() >= SEVERAL_RESULTS
                ? use.flag("training_mode", false)
                : use.wants(1) || use.opset() < 7 && use.has("is_test") && !use.flag("is_test", false);
        if (!use.flag("spatial", true)) {
            throw use.detail("it has statistics of every place (spatial = 0), not of channels");
        }
        Tensor mean = out.body().buffer(use.in(3));
        Tensor variance = out.body().buffer(use.in(4));
        List<Tensor> results = new ArrayList<>();
        if (isTraining) {
            List<Integer> axes = IntStream.range(0, x.rank())
                    .filter(axis -> axis != 1)
                    .boxed()
                    .toList();
            float momentum = use.real("momentum", 0.9);
            Tensor batchMean = out.let(out.reduce("mean", x, axes, false));
            Tensor centred = out.let(out.infix("-", x, ofChannels(use, batchMean, x.rank())));
            Tensor batchVariance = out.let(out.reduce("mean", out.unary("square", centred), axes, false));
            results.add(moved(use, mean, batchMean, momentum));
            results.add(moved(use, variance, batchVariance, momentum));
            mean = batchMean;
            variance = batchVariance;
        }
        Tensor factor = out.infix(
                "*",
                use.in(1),
                out.unary("rsqrt", out.infix("+", variance, out.number(x.dtype(), use.real("epsilon", 1e-5)))));
        Tensor y = affine(
                use,
                out.infix("-", x, ofChannels(use, mean, x.rank())),
                ofChannels(use, factor, x.rank()),
                Optional.of(ofChannels(use, use.in(2), x.rank())));
        results.addFirst(y);
        return results;
    }

    private static Tensor moved(Use use, Tensor before, Tensor batch, float momentum) {
        return use.out()
                .infix(
                        "+",
                        ElementwiseOperators.times(use, before, momentum),
                        ElementwiseOperators.times(use, batch, 1 - momentum));
    }

    private static List<Tensor> layer(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        int axis = use.axis("axis", -1, x.rank());
        Tensor rows = last(use, x, axis);
        Tensor normal = out.reshape(
                out.unary("layer_norm", rows, epsilon(use, 1e-5), Expressions.named("affine", false)), x.dims());
        List<Tensor> results = new ArrayList<>(List.of(affine(use, normal, use.in(1), use.find(2))));
        if (use.wants(1) || use.wants(2)) {
            List<Integer> axes = IntStream.range(axis, x.rank()).boxed().toList();
            Tensor mean = out.let(out.reduce("mean", x, axes, true));
            Tensor variance = out.reduce("mean", out.unary("square", out.infix("-", x, mean)), axes, true);
            results.add(mean);
            results.add(out.unary("rsqrt", out.infix("+", variance, out.number(x.dtype(), use.real("epsilon", 1e-5)))));
        }
        return results;
    }

    /** All axes from one on as the last one. */
    private static Tensor last(Use use, Tensor x, int axis) {
        List<Dim> dims = new ArrayList<>(x.dims().subList(0, axis));
        dims.add(Expressions.product(x.dims().subList(axis, x.rank())));
        return use.out().reshape(x, dims);
    }

    private static Tensor rootMeanSquare(Use use) {
        Tensor x = use.in(0);
        Tensor rows = last(use, x, use.axis("axis", -1, x.rank()));
        Tensor normal = use.out().unary("rms_norm", rows, epsilon(use, 1e-5), Expressions.named("affine", false));
        return affine(use, use.out().reshape(normal, x.dims()), use.in(1), Optional.empty());
    }

    private static Tensor instance(Use use) {
        Tensor x = use.in(0);
        Tensor normal = use.out().unary("instance_norm", x, epsilon(use, 1e-5));
        return affine(
                use, normal, ofChannels(use, use.in(1), x.rank()), Optional.of(ofChannels(use, use.in(2), x.rank())));
    }

    private static Tensor group(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        long groups = use.integer("num_groups", 1);
        Tensor scale = use.in(1);
        Tensor bias = use.in(2);
        if (use.opset() < SCALES_OF_CHANNELS) {
            Dim each = x.dim(1).floorDiv(groups);
            TensorType type = new TensorType(scale.dtype(), new Shape(List.of(x.dim(1))));
            scale = out.call("repeat_interleave", type, scale, each, 0);
            bias = out.call("repeat_interleave", type, bias, each, 0);
        }
        Tensor normal = out.unary("group_norm", x, groups, epsilon(use, 1e-5), Expressions.named("affine", false));
        return affine(use, normal, ofChannels(use, scale, x.rank()), Optional.of(ofChannels(use, bias, x.rank())));
    }

    private static Tensor length(Use use) {
        Tensor x = use.in(0);
        return use.out()
                .unary(
                        "normalize",
                        x,
                        Expressions.named("p", use.integer("p", 2)),
                        Expressions.named("axis", use.axis("axis", -1, x.rank())));
    }

    private static Tensor meanVariance(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        List<Integer> axes = use.integers("axes").orElse(List.of(0L, 2L, 3L)).stream()
                .map(axis -> use.axis(axis, x.rank()))
                .toList();
        Tensor centred = out.let(out.infix("-", x, out.reduce("mean", x, axes, true)));
        Tensor deviation = out.unary("sqrt", out.reduce("mean", out.unary("square", centred), axes, true));
        return out.infix("/", centred, out.infix("+", deviation, out.number(x.dtype(), 1e-9)));
    }

    private static Tensor localResponse(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        long size = use.integer("size", 1);
        float alpha = use.real("alpha", 0.0001);
        float beta = use.real("beta", 0.75);
        float bias = use.real("bias", 1);
        if (size % 2 == 1) {
            return out.unary("local_response_norm", x, size, alpha, beta, bias);
        }
        long[] low = new long[x.rank()];
        long[] high = new long[x.rank()];
        low[1] = (size - 1) / 2;
        high[1] = size - 1 - low[1];
        Tensor squares = out.let(PartOperators.pad(use, out.unary("square", x), low, high, 0, "constant"));
        Tensor sum = null;
        for (int i = 0; i < size; i++) {
            Tensor part = out.slice(squares, 1, Dim.of(i), x.dim(1).plus(i), 1);
            sum = sum == null ? part : out.infix("+", sum, part);
        }
        Tensor base = out.infix("+", ElementwiseOperators.times(use, sum, alpha / size), out.number(x.dtype(), bias));
        return out.infix("/", x, out.infix("**", base, out.number(x.dtype(), beta)));
    }

    private static List<Tensor> dropout(Use use) {
        Tensor x = use.in(0);
        boolean isTraining = use.opset() >= 12
                ? use.knownIf(2).map(mode -> !mode.integers().getFirst().is(0)).orElse(false)
                : use.opset() < 7 && use.has("is_test") && !use.flag("is_test", false);
        double share =
                use.opset() >= 12 ? use.knownIf(1).map(ratio -> ratio.real(0)).orElse(0.5) : use.real("ratio", 0.5);
        if (isTraining && share > 0) {
            if (use.wants(1)) {
                throw use.detail("its mask is read while it draws one");
            }
            return List.of(use.out().unary("dropout", x, (float) share));
        }
        if (!use.wants(1)) {
            return List.of(x);
        }
        Tensor mask =
                use.out().call("ones", x.type().with(DType.BOOL), x.dims(), Expressions.named("dtype", DType.BOOL));
        return List.of(x, mask);
    }
}
