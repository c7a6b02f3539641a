package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.Reduce;
import java.util.List;
import java.util.stream.Stream;

/** Pooling and upsampling over [N, C, H, W]. */
public final class PoolingLayers {
    /** What {@code ceil_mode} does, for summaries. */
    static final String CEIL = " `stride` is `kernel_size` unless given; "
            + "`ceil_mode` counts a last window that begins inside and reaches beyond the padding.";

    private static final int[] ADJACENT = {1, 1};

    private PoolingLayers() {}

    public static List<Builtin> table() {
        return Stream.concat(images(), VolumeLayers.POOLS.stream()).toList();
    }

    private static Stream<Builtin> images() {
        return Stream.of(
                Builtin.function(
                        "max_pool2d",
                        "x: tensor, kernel_size: pair, stride: pair = none, padding: pair = 0, dilation: pair = 1, "
                                + "ceil_mode: bool = false",
                        "Maximum of each window of elements `dilation` apart;" + CEIL,
                        (args, out) ->
                                tensor(WindowPools.max(window(args, args.pair("dilation")), args.tensor("x"), out))),
                Builtin.function(
                        "avg_pool2d",
                        "x: tensor, kernel_size: pair, stride: pair = none, padding: pair = 0, "
                                + "ceil_mode: bool = false, count_include_pad: bool = true",
                        "Mean of each window;" + CEIL,
                        (args, out) -> tensor(mean(args).over(window(args, ADJACENT), args.tensor("x"), out))),
                Builtin.function(
                        "max_pool1d",
                        "x: tensor, kernel_size: int, stride: int = none, padding: int = 0, dilation: int = 1, "
                                + "ceil_mode: bool = false",
                        "Maximum of each window of [N, C, L], of elements `dilation` apart;" + CEIL,
                        (args, out) -> along(WindowPools::max, args.smallInteger("dilation"), args, out)),
                Builtin.function(
                        "avg_pool1d",
                        "x: tensor, kernel_size: int, stride: int = none, padding: int = 0, "
                                + "ceil_mode: bool = false, count_include_pad: bool = true",
                        "Mean of each window of [N, C, L];" + CEIL,
                        (args, out) -> along(mean(args), 1, args, out)),
                AdaptivePools.pool("adaptive_avg_pool2d", 2, AdaptivePools.Kind.MEAN),
                AdaptivePools.pool("adaptive_max_pool2d", 2, AdaptivePools.Kind.MAX),
                AdaptivePools.pool("adaptive_avg_pool1d", 1, AdaptivePools.Kind.MEAN),
                AdaptivePools.pool("adaptive_max_pool1d", 1, AdaptivePools.Kind.MAX),
                Builtin.function(
                        "pixel_shuffle",
                        "x: tensor, upscale_factor: int",
                        "Channels into pixels: [N, C·r², H, W] to [N, C, H·r, W·r] (Shi et al., 2016).",
                        PoolingLayers::pixelShuffle),
                Builtin.function(
                        "pixel_unshuffle",
                        "x: tensor, downscale_factor: int",
                        "Pixels into channels: [N, C, H·r, W·r] to [N, C·r², H, W].",
                        PoolingLayers::pixelUnshuffle),
                Builtin.function(
                        "global_avg_pool",
                        "x: tensor",
                        "Mean over H and W: [N, C, H, W] to [N, C].",
                        (args, out) -> global(Reduce.Kind.MEAN, args, out)),
                Builtin.function(
                        "global_max_pool",
                        "x: tensor",
                        "Maximum over H and W: [N, C, H, W] to [N, C].",
                        (args, out) -> global(Reduce.Kind.MAX, args, out)),
                Resampling.UPSAMPLE);
    }

    private static PoolWindow window(Arguments args, int[] dilation) {
        int[] kernel = args.pair("kernel_size");
        int[] stride = args.isGiven("stride") ? args.pair("stride") : kernel;
        int[] padding = args.pair("padding");
        return new PoolWindow(
                kernel[0],
                kernel[1],
                stride[0],
                stride[1],
                padding[0],
                padding[1],
                dilation[0],
                dilation[1],
                args.flag("ceil_mode"));
    }

    static WindowPools mean(Arguments args) {
        return WindowPools.mean(args.flag("count_include_pad"));
    }

    /** The window of a pool over [N, C, L], taken for an image of one row. */
    private static PoolWindow row(int dilation, Arguments args) {
        int kernel = args.smallInteger("kernel_size");
        int stride = args.isGiven("stride") ? args.smallInteger("stride") : kernel;
        int padding = args.smallInteger("padding");
        return new PoolWindow(1, kernel, 1, stride, 0, padding, 1, dilation, args.flag("ceil_mode"));
    }

    private static Datum along(WindowPools pool, int dilation, Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("a pool in 1d", out.type(x), 3);
        ValueId image = out.reshape(x, new Shape(List.of(type.dim(0), type.dim(1), Dim.ONE, type.dim(2))));
        return tensor(Tensors.dropped(pool.over(row(dilation, args), image, out), List.of(2), out));
    }

    private static Datum pixelShuffle(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("pixel_shuffle", out.type(x), 4);
        Dim factor = Dim.of(positive("upscale_factor", args));
        Dim channels = divided(type.dim(1), factor.times(factor));
        ValueId apart =
                out.reshape(x, new Shape(List.of(type.dim(0), channels, factor, factor, type.dim(2), type.dim(3))));
        ValueId mixed = out.transpose(apart, List.of(0, 1, 4, 2, 5, 3));
        return tensor(out.reshape(
                mixed,
                new Shape(List.of(
                        type.dim(0),
                        channels,
                        type.dim(2).times(factor),
                        type.dim(3).times(factor)))));
    }

    private static Datum pixelUnshuffle(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("pixel_unshuffle", out.type(x), 4);
        Dim factor = Dim.of(positive("downscale_factor", args));
        Dim height = divided(type.dim(2), factor);
        Dim width = divided(type.dim(3), factor);
        ValueId apart = out.reshape(x, new Shape(List.of(type.dim(0), type.dim(1), height, factor, width, factor)));
        ValueId mixed = out.transpose(apart, List.of(0, 1, 3, 5, 2, 4));
        Dim channels = type.dim(1).times(factor).times(factor);
        return tensor(out.reshape(mixed, new Shape(List.of(type.dim(0), channels, height, width))));
    }

    private static Dim divided(Dim extent, Dim parts) {
        return extent.divideExact(parts)
                .orElseThrow(() -> new SemanticError("E0301", extent + " cannot be divided by " + parts));
    }

    private static int positive(String name, Arguments args) {
        int value = args.smallInteger(name);
        if (value < 1 || value > 10_000) {
            throw new SemanticError("E0306", "'" + name + "' is from 1 to 10000, not " + value);
        }
        return value;
    }

    private static Datum global(Reduce.Kind kind, Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("global pooling", out.type(x), 4);
        ValueId reduced = out.apply(new Reduce(kind, List.of(2, 3)), x);
        return tensor(out.reshape(reduced, new Shape(List.of(type.dim(0), type.dim(1)))));
    }
}
