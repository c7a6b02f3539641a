package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.Padding;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.Pad;
import java.util.List;

/** Convolutions over [N, C, H, W] and [N, C, L]. */
public final class ConvolutionLayers {
    static final String PARAMETERS =
            "bias: bool = true, weight: tensor = none, init: init = none, bias_init: init = none, " + WeightNorm.SLOT;

    /** How the padding of a convolution is filled. */
    static final String FILLED = ", padding_mode: string = \"zeros\"";

    private ConvolutionLayers() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.layer(
                        "conv2d",
                        "x: tensor, out_channels: int, kernel_size: pair, stride: pair = 1, padding: padding = 0, "
                                + "dilation: pair = 1, groups: int = 1, " + PARAMETERS + FILLED,
                        "Convolution; `weight` [out, in/groups, kh, kw], `bias` [out]. With `padding = \"same\"` the"
                                + " result is as large as `x`; `padding_mode` is \"zeros\" or one of `pad`.",
                        ConvolutionLayers::conv2d),
                Builtin.layer(
                        "conv1d",
                        "x: tensor, out_channels: int, kernel_size: int, stride: int = 1, padding: padding = 0, "
                                + "dilation: int = 1, groups: int = 1, " + PARAMETERS + FILLED,
                        "Convolution of [N, C, L]; `weight` [out, in/groups, k], `bias` [out].",
                        ConvolutionLayers::conv1d),
                VolumeLayers.CONVOLUTION,
                Builtin.layer(
                        "conv_transpose1d",
                        "x: tensor, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0, "
                                + "output_padding: int = 0, groups: int = 1, dilation: int = 1, " + PARAMETERS,
                        "Transposed convolution of [N, C, L]; `weight` [in, out/groups, k], `bias` [out].",
                        ConvolutionLayers::convTranspose1d),
                Builtin.layer(
                        "conv_transpose2d",
                        "x: tensor, out_channels: int, kernel_size: pair, stride: pair = 1, padding: pair = 0, "
                                + "output_padding: pair = 0, groups: int = 1, dilation: pair = 1, " + PARAMETERS,
                        "Transposed convolution; `weight` [in, out/groups, kh, kw], `bias` [out].",
                        ConvolutionLayers::convTranspose2d),
                Patches.UNFOLD,
                Patches.FOLD);
    }

    private static Datum conv2d(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("conv2d", out.type(x), 4);
        int[] kernel = args.pair("kernel_size");
        int[] stride = args.pair("stride");
        int[] dilation = args.pair("dilation");
        Padded padded = Padded.of(x, 2, kernel, stride, dilation, args, out);
        int[] padding = padded.padding;
        Dim channels = group(type.dim(1), args);
        Dim outputs = args.dim("out_channels");
        Shape shape = new Shape(List.of(outputs, channels, Dim.of(kernel[0]), Dim.of(kernel[1])));
        ValueId weight = WeightNorm.weight(args, type.with(shape), out);
        ConvGeometry geometry = new ConvGeometry(
                stride[0], stride[1], padding[0], padding[1], dilation[0], dilation[1], args.smallInteger("groups"));
        ValueId y = out.apply(new Conv2d(geometry), padded.x, weight);
        return tensor(withBias(y, outputs, channels.times(kernel[0]).times(kernel[1]), args, out));
    }

    private static Datum conv1d(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("conv1d", out.type(x), 3);
        Dim kernel = args.dim("kernel_size");
        Dim channels = group(type.dim(1), args);
        Dim outputs = args.dim("out_channels");
        Shape shape = new Shape(List.of(outputs, channels, kernel));
        ValueId weight = WeightNorm.weight(args, type.with(shape), out);
        ValueId image = out.reshape(x, new Shape(List.of(type.dim(0), type.dim(1), Dim.ONE, type.dim(2))));
        int[] stride = {1, args.smallInteger("stride")};
        int[] dilation = {1, args.smallInteger("dilation")};
        if (args.any("padding") instanceof Datum.ListValue) {
            throw new SemanticError("E0302", "'padding' of conv1d is one integer, \"same\" or \"valid\"");
        }
        int[] row = {1, args.smallInteger("kernel_size")};
        Padded padded = Padded.of(image, 3, row, stride, dilation, args, out);
        ConvGeometry geometry =
                new ConvGeometry(1, stride[1], 0, padded.padding[1], 1, dilation[1], args.smallInteger("groups"));
        ValueId flat = out.reshape(weight, new Shape(List.of(outputs, channels, Dim.ONE, kernel)));
        ValueId y =
                withBias(out.apply(new Conv2d(geometry), padded.x, flat), outputs, channels.times(kernel), args, out);
        return tensor(out.reshape(
                y, new Shape(List.of(type.dim(0), outputs, out.type(y).dim(3)))));
    }

    /** What a convolution reads, and how far it still is to be padded with zeros on both sides. */
    private record Padded(ValueId x, int[] padding) {
        private static final List<Dim> NONE = List.of(Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO);

        /** @param first axis of the images that may be padded */
        static Padded of(
                ValueId x, int first, int[] kernel, int[] stride, int[] dilation, Arguments args, Emission out) {
            int[] before = args.any("padding") instanceof Datum.StringValue ? new int[2] : args.pair("padding");
            int[] after = before.clone();
            if (args.any("padding") instanceof Datum.StringValue(String mode) && isSame(mode, stride)) {
                for (int axis = 0; axis < 2; axis++) {
                    int whole = Math.max(0, Math.multiplyExact(dilation[axis], kernel[axis] - 1));
                    before[axis] = whole / 2;
                    after[axis] = whole - whole / 2;
                }
            }
            if (isFilled(args)) {
                ValueId filled = x;
                for (int axis = first; axis < 4; axis++) {
                    filled = filled(filled, axis, before[axis - 2], after[axis - 2], args, out);
                }
                return new Padded(filled, new int[2]);
            }
            List<Dim> odd = List.of(Dim.ZERO, Dim.ZERO, Dim.of(after[0] - before[0]), Dim.of(after[1] - before[1]));
            return new Padded(odd.equals(NONE) ? x : out.apply(new Pad(NONE, odd, 0), x), before);
        }

        private static boolean isSame(String mode, int[] stride) {
            boolean keeps = mode.equals("same");
            if (!keeps && !mode.equals("valid")) {
                throw new SemanticError("E0306", "'padding' is \"same\" or \"valid\", not \"" + mode + "\"");
            } else if (keeps && (stride[0] != 1 || stride[1] != 1)) {
                throw new SemanticError("E0306", "'padding' of \"same\" takes a stride of 1");
            }
            return keeps;
        }
    }

    /** Whether the padding is of elements instead of zeros. */
    static boolean isFilled(Arguments args) {
        return switch (args.text("padding_mode")) {
            case "zeros" -> false;
            case "reflect", "replicate", "circular" -> true;
            default ->
                throw new SemanticError(
                        "E0306",
                        "'padding_mode' is \"zeros\", \"reflect\", \"replicate\" or \"circular\", not \""
                                + args.text("padding_mode") + "\"");
        };
    }

    /** With the padding that {@code padding_mode} asks for. */
    static ValueId filled(ValueId x, int axis, int before, int after, Arguments args, Emission out) {
        if (Math.min(before, after) < 0 || Math.max(before, after) > Padding.MOST) {
            throw new SemanticError("E0306", "such padding is from 0 to " + Padding.MOST + " elements, not " + after);
        }
        return Padding.around(x, axis, before, after, args.text("padding_mode"), out);
    }

    private static Datum convTranspose1d(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("conv_transpose1d", out.type(x), 3);
        int kernel = args.smallInteger("kernel_size");
        int stride = args.smallInteger("stride");
        int padding = args.smallInteger("padding");
        int dilation = args.smallInteger("dilation");
        Dim outputs = args.dim("out_channels");
        Dim channels = group(outputs, args);
        Shape shape = new Shape(List.of(type.dim(1), channels, Dim.of(kernel)));
        ValueId weight = WeightNorm.weight(args, type.with(shape), out);
        ConvGeometry geometry = new ConvGeometry(1, stride, 0, padding, 1, dilation, args.smallInteger("groups"));
        Dim length = grown(type.dim(2), kernel, stride, padding, args.smallInteger("output_padding"), dilation);
        ValueId image = out.reshape(x, new Shape(List.of(type.dim(0), type.dim(1), Dim.ONE, type.dim(2))));
        ValueId flat = out.reshape(weight, new Shape(List.of(type.dim(1), channels, Dim.ONE, Dim.of(kernel))));
        ValueId y = out.apply(new ConvTranspose2d(geometry, Dim.ONE, length), image, flat);
        return tensor(Tensors.dropped(withBias(y, outputs, channels.times(kernel), args, out), List.of(2), out));
    }

    private static Datum convTranspose2d(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("conv_transpose2d", out.type(x), 4);
        int[] kernel = args.pair("kernel_size");
        int[] stride = args.pair("stride");
        int[] padding = args.pair("padding");
        int[] extra = args.pair("output_padding");
        int[] dilation = args.pair("dilation");
        Dim outputs = args.dim("out_channels");
        Dim channels = group(outputs, args);
        Shape shape = new Shape(List.of(type.dim(1), channels, Dim.of(kernel[0]), Dim.of(kernel[1])));
        ValueId weight = WeightNorm.weight(args, type.with(shape), out);
        ConvGeometry geometry = new ConvGeometry(
                stride[0], stride[1], padding[0], padding[1], dilation[0], dilation[1], args.smallInteger("groups"));
        Dim height = grown(type.dim(2), kernel[0], stride[0], padding[0], extra[0], dilation[0]);
        Dim width = grown(type.dim(3), kernel[1], stride[1], padding[1], extra[1], dilation[1]);
        ValueId y = out.apply(new ConvTranspose2d(geometry, height, width), x, weight);
        return tensor(withBias(y, outputs, channels.times(kernel[0]).times(kernel[1]), args, out));
    }

    private static Dim grown(Dim input, int kernel, int stride, int padding, int extra, int dilation) {
        return input.minus(1).times(stride).plus((long) dilation * (kernel - 1) + extra + 1 - 2L * padding);
    }

    static Dim group(Dim channels, Arguments args) {
        Dim groups = args.count("groups");
        return channels.divideExact(groups)
                .orElseThrow(() -> new SemanticError(
                        "E0301", channels + " channels cannot be divided into " + groups + " groups"));
    }

    static ValueId withBias(ValueId y, Dim outputs, Dim fanIn, Arguments args, Emission out) {
        if (!args.flag("bias")) {
            return y;
        }
        TensorType type = out.type(y);
        Initial initial = LinearLayers.bias(args, fanIn);
        ValueId bias = out.parameter("bias", type.with(new Shape(List.of(outputs))), initial);
        ValueId column = out.reshape(bias, new Shape(List.of(outputs, Dim.ONE, Dim.ONE)));
        return out.add(y, out.expand(column, type.shape()));
    }
}
