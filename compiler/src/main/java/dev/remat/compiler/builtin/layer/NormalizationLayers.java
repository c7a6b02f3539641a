package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.RunningStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Normalizations, with statistics as values of their own. */
public final class NormalizationLayers {
    private NormalizationLayers() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.layer(
                        "batch_norm",
                        "x: tensor, eps: float = 1e-05, momentum: float = 0.1, affine: bool = true, init: init = none, "
                                + "repeated: string = none",
                        "Normalizes each channel (axis 1) over all else (Ioffe and Szegedy, 2015); `weight`, `bias`,"
                            + " `running_mean`, `running_var` [C]. Evaluation uses the running statistics. A shared"
                            + " one says what applications do to them: with `repeated = \"each\"` each moves them in"
                            + " turn, with \"mean\" the mean of what they have seen moves them once.",
                        NormalizationLayers::batchNorm),
                Builtin.layer(
                        "layer_norm",
                        "x: tensor, eps: float = 1e-05, affine: bool = true, bias: bool = true",
                        "Normalizes over the last axis (Ba et al., 2016); `weight`, `bias` of its extent.",
                        NormalizationLayers::layerNorm),
                Builtin.layer(
                        "rms_norm",
                        "x: tensor, eps: float = 1e-06, affine: bool = true",
                        "Divides by the root mean square over the last axis (Zhang and Sennrich, 2019); `weight`.",
                        NormalizationLayers::rmsNorm),
                Builtin.layer(
                        "instance_norm",
                        "x: tensor, eps: float = 1e-05, affine: bool = false",
                        "Normalizes each channel (axis 1) of each element of the batch (Ulyanov et al., 2016);"
                                + " `weight`, `bias` [C] if affine.",
                        NormalizationLayers::instanceNorm),
                Builtin.function(
                        "local_response_norm",
                        "x: tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0",
                        "x/(k + alpha·mean of x² over `size` channels around)^beta (Krizhevsky et al., 2012).",
                        NormalizationLayers::localResponse),
                Builtin.layer(
                        "group_norm",
                        "x: tensor, num_groups: int, eps: float = 1e-05, affine: bool = true",
                        "Normalizes groups of channels (axis 1) (Wu and He, 2018); `weight`, `bias` [C].",
                        NormalizationLayers::groupNorm));
    }

    private static Datum batchNorm(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = channelled("batch_norm", out.type(x));
        Dim channels = type.dim(1);
        List<Integer> axes = IntStream.range(0, type.rank())
                .filter(axis -> axis != 1)
                .boxed()
                .toList();
        Shape column = type.shape().reduced(axes);
        TensorType vector = type.with(new Shape(List.of(channels)));
        boolean repeated = args.isGiven("repeated");
        boolean averaged = repeated && args.text("repeated").equals("mean");
        if (repeated && !averaged && !args.text("repeated").equals("each")) {
            throw new SemanticError(
                    "E0306", "'repeated' is \"each\" or \"mean\", not \"" + args.text("repeated") + "\"");
        }
        ValueId runningMean = out.state("running_mean", vector, Initial.ZEROS, repeated);
        ValueId runningVariance = out.state("running_var", vector, Initial.ONES, repeated);
        List<ValueId> statistics;
        if (out.isTraining()) {
            statistics = out.emit(new NormStatistics(axes, true), List.of(x));
            ValueId mean = out.reshape(statistics.get(0), vector.shape());
            ValueId variance = out.reshape(statistics.get(1), vector.shape());
            Dim samples = new Shape(axes.stream().map(type::dim).toList()).elements();
            RunningStatistics update = new RunningStatistics(args.real("momentum"), samples);
            if (averaged) {
                out.updateByMean(update, List.of(runningMean, runningVariance), List.of(mean, variance));
            } else {
                out.update(update, List.of(runningMean, runningVariance, mean, variance));
            }
        } else {
            statistics = List.of(out.reshape(runningMean, column), out.reshape(runningVariance, column));
        }
        List<ValueId> operands = new ArrayList<>(List.of(x));
        operands.addAll(statistics);
        boolean affine = args.flag("affine");
        if (affine) {
            ValueId weight = out.parameter("weight", vector, args.initial("init", Initial.ONES));
            operands.add(out.reshape(weight, column));
            operands.add(out.reshape(out.parameter("bias", vector, Initial.ZEROS), column));
        }
        Normalize op = new Normalize(axes, args.real("eps"), true, affine, affine);
        return tensor(out.emit(op, operands).getFirst());
    }

    private static Datum layerNorm(Arguments args, Emission out) {
        boolean affine = args.flag("affine");
        boolean bias = args.flag("bias");
        return tensor(overLastAxis("layer_norm", true, affine, affine && bias, args, out));
    }

    private static Datum rmsNorm(Arguments args, Emission out) {
        return tensor(overLastAxis("rms_norm", false, args.flag("affine"), false, args, out));
    }

    private static ValueId overLastAxis(
            String name, boolean centered, boolean scaled, boolean shifted, Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        if (type.rank() == 0) {
            throw new SemanticError("E0301", name + " works along the last axis, and a scalar has none");
        }
        int last = type.rank() - 1;
        TensorType vector = type.with(new Shape(List.of(type.dim(last))));
        Shape row = type.shape().reduced(IntStream.range(0, last).boxed().toList());
        List<ValueId> operands = new ArrayList<>(List.of(x));
        operands.addAll(out.emit(new NormStatistics(List.of(last), centered), List.of(x)));
        if (scaled) {
            operands.add(out.reshape(out.parameter("weight", vector, Initial.ONES), row));
        }
        if (shifted) {
            operands.add(out.reshape(out.parameter("bias", vector, Initial.ZEROS), row));
        }
        Normalize op = new Normalize(List.of(last), args.real("eps"), centered, scaled, shifted);
        return out.emit(op, operands).getFirst();
    }

    private static Datum instanceNorm(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = channelled("instance_norm", out.type(x));
        if (type.rank() < 3) {
            throw new SemanticError(
                    "E0301", "instance_norm normalizes the axes behind the channels, and " + type + " has none");
        }
        List<Integer> axes = IntStream.range(2, type.rank()).boxed().toList();
        List<ValueId> operands = new ArrayList<>(List.of(x));
        operands.addAll(out.emit(new NormStatistics(axes, true), List.of(x)));
        boolean affine = args.flag("affine");
        if (affine) {
            TensorType vector = type.with(new Shape(List.of(type.dim(1))));
            Shape column = type.shape().reduced(axes).with(0, Dim.ONE);
            operands.add(out.reshape(out.parameter("weight", vector, Initial.ONES), column));
            operands.add(out.reshape(out.parameter("bias", vector, Initial.ZEROS), column));
        }
        return tensor(out.emit(new Normalize(axes, args.real("eps"), true, affine, affine), operands)
                .getFirst());
    }

    /** The squares as an image of channels by all else, so that a pool moves along the channels. */
    private static Datum localResponse(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = channelled("local_response_norm", out.type(x));
        int size = args.smallInteger("size");
        if (size < 1) {
            throw new SemanticError("E0306", "'size' must be positive, and is " + size);
        }
        Dim rest = new Shape(type.shape().dims().subList(2, type.rank())).elements();
        ValueId squares = out.reshape(out.mul(x, x), new Shape(List.of(type.dim(0), Dim.ONE, type.dim(1), rest)));
        List<Dim> before = List.of(Dim.ZERO, Dim.ZERO, Dim.of(size / 2), Dim.ZERO);
        List<Dim> after = List.of(Dim.ZERO, Dim.ZERO, Dim.of((size - 1) / 2), Dim.ZERO);
        ValueId padded = size == 1 ? squares : out.apply(new Pad(before, after, 0), squares);
        ValueId mean =
                out.reshape(out.apply(new AvgPool2d(new PoolWindow(size, 1, 1, 1, 0, 0), true), padded), type.shape());
        ValueId base = out.plus(out.scale(mean, args.real("alpha")), args.real("k"));
        Datum divisor = tensor(Tensors.power(tensor(base), new Datum.FloatValue(args.real("beta")), out));
        return tensor(Tensors.binary(Binary.Kind.DIV, tensor(x), divisor, out));
    }

    /** On [N, G, C/G, …], where the axes from 2 on are normalized. */
    private static Datum groupNorm(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = channelled("group_norm", out.type(x));
        Dim groups = args.count("num_groups");
        Dim channels = type.dim(1);
        Dim members = channels.divideExact(groups)
                .orElseThrow(() -> new SemanticError(
                        "E0301", channels + " channels cannot be divided into " + groups + " groups"));
        List<Dim> dims = new ArrayList<>(List.of(type.dim(0), groups, members));
        dims.addAll(type.shape().dims().subList(2, type.rank()));
        Shape grouped = new Shape(dims);
        List<Integer> axes = IntStream.range(2, grouped.rank()).boxed().toList();
        ValueId apart = out.reshape(x, grouped);
        List<ValueId> operands = new ArrayList<>(List.of(apart));
        operands.addAll(out.emit(new NormStatistics(axes, true), List.of(apart)));
        boolean affine = args.flag("affine");
        if (affine) {
            TensorType vector = type.with(new Shape(List.of(channels)));
            List<Integer> others = new ArrayList<>(List.of(0));
            others.addAll(axes.subList(1, axes.size()));
            Shape column = grouped.reduced(others);
            operands.add(out.reshape(out.parameter("weight", vector, Initial.ONES), column));
            operands.add(out.reshape(out.parameter("bias", vector, Initial.ZEROS), column));
        }
        ValueId y = out.emit(new Normalize(axes, args.real("eps"), true, affine, affine), operands)
                .getFirst();
        return tensor(out.reshape(y, type.shape()));
    }

    private static TensorType channelled(String name, TensorType type) {
        if (type.rank() < 2) {
            throw new SemanticError("E0301", name + " takes a tensor with channels on axis 1, got " + type);
        }
        return type;
    }
}
