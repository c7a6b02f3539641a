package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.PoolWindow;
import java.util.ArrayList;
import java.util.List;

/**
 * Convolution and pools over volumes [N, C, D, H, W], made of those over images: a convolution is the sum of one for
 * each layer of its kernel, a pool moves over images first and then along the depth.
 */
final class VolumeLayers {
    private static final int[] ADJACENT = {1, 1, 1};

    private VolumeLayers() {}

    static final Builtin CONVOLUTION = Builtin.layer(
            "conv3d",
            "x: tensor, out_channels: int, kernel_size: ints, stride: ints = 1, padding: ints = 0, dilation: ints = 1, "
                    + "groups: int = 1, " + ConvolutionLayers.PARAMETERS + ConvolutionLayers.FILLED,
            "Convolution of [N, C, D, H, W]; `weight` [out, in/groups, kd, kh, kw], `bias` [out].",
            VolumeLayers::convolution);

    static final List<Builtin> POOLS = List.of(
            Builtin.function(
                    "max_pool3d",
                    "x: tensor, kernel_size: ints, stride: ints = none, padding: ints = 0, dilation: ints = 1, "
                            + "ceil_mode: bool = false",
                    "Maximum of each window of [N, C, D, H, W], of elements `dilation` apart;" + PoolingLayers.CEIL,
                    (args, out) -> pooled(WindowPools::max, triple("dilation", args), args, out)),
            Builtin.function(
                    "avg_pool3d",
                    "x: tensor, kernel_size: ints, stride: ints = none, padding: ints = 0, "
                            + "ceil_mode: bool = false, count_include_pad: bool = true",
                    "Mean of each window of [N, C, D, H, W];" + PoolingLayers.CEIL,
                    (args, out) -> pooled(PoolingLayers.mean(args), ADJACENT, args, out)));

    /** Three numbers; one that is given alone counts for all. */
    private static int[] triple(String name, Arguments args) {
        List<Integer> given = args.integers(name);
        if (given.size() != 1 && given.size() != 3) {
            throw new SemanticError("E0306", "'" + name + "' is one number or three, not " + given.size());
        }
        return new int[] {given.getFirst(), given.get(given.size() / 2), given.getLast()};
    }

    private static Datum convolution(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("conv3d", out.type(x), 5);
        int[] kernel = triple("kernel_size", args);
        int[] stride = triple("stride", args);
        int[] padding = triple("padding", args);
        int[] dilation = triple("dilation", args);
        if (kernel[0] < 1 || kernel[0] > 1000 || stride[0] < 1 || padding[0] < 0 || dilation[0] < 1) {
            throw new SemanticError(
                    "E0306",
                    "conv3d takes a depth from 1 to 1000, positive strides and dilations, and no negative padding");
        }
        Dim channels = ConvolutionLayers.group(type.dim(1), args);
        Dim outputs = args.dim("out_channels");
        Shape plane = new Shape(List.of(outputs, channels, Dim.of(kernel[1]), Dim.of(kernel[2])));
        List<Dim> dims = new ArrayList<>(plane.dims());
        dims.add(2, Dim.of(kernel[0]));
        ValueId weight = WeightNorm.weight(args, type.with(new Shape(dims)), out);
        if (ConvolutionLayers.isFilled(args)) {
            for (int axis = 0; axis < 3; axis++) {
                x = ConvolutionLayers.filled(x, 2 + axis, padding[axis], padding[axis], args, out);
            }
            padding = new int[3];
        }
        ConvGeometry geometry = new ConvGeometry(
                stride[1], stride[2], padding[1], padding[2], dilation[1], dilation[2], args.smallInteger("groups"));

        Layers layers = Layers.of(x, kernel[0], stride[0], padding[0], dilation[0], out);
        ValueId taps = out.transpose(weight, List.of(2, 0, 1, 3, 4));
        ValueId sum = null;
        for (int tap = 0; tap < kernel[0]; tap++) {
            ValueId part = SelectionFunctions.part(taps, 0, Dim.of(tap), Dim.ONE, out);
            ValueId y =
                    out.apply(new Conv2d(geometry), layers.images(tap * dilation[0], out), out.reshape(part, plane));
            sum = sum == null ? y : out.add(sum, y);
        }
        Dim fanIn = channels.times(kernel[0]).times(kernel[1]).times(kernel[2]);
        ValueId y = ConvolutionLayers.withBias(sum, outputs, fanIn, args, out);
        TensorType images = out.type(y);
        Shape volume = new Shape(List.of(layers.depth, type.dim(0), outputs, images.dim(2), images.dim(3)));
        return tensor(out.transpose(out.reshape(y, volume), List.of(1, 2, 0, 3, 4)));
    }

    /**
     * The layers of a padded volume with the depth first, and which of them the windows begin at.
     *
     * @param volume [depths/stride, stride, N, C, H, W]
     * @param depth how many windows there are
     */
    private record Layers(ValueId volume, Dim depth, int stride) {
        static Layers of(ValueId x, int kernel, int stride, int padding, int dilation, Emission out) {
            ValueId first = out.transpose(x, List.of(2, 0, 1, 3, 4));
            Dim reach = Dim.of((long) dilation * (kernel - 1) + 1);
            Dim depth = out.type(first)
                    .dim(0)
                    .plus(2L * padding)
                    .minus(reach)
                    .floorDiv(stride)
                    .plus(1);
            if (depth.isConstant() && depth.value() < 1) {
                throw new SemanticError(
                        "E0301",
                        "conv3d with a kernel that reaches over " + reach + " layers does not fit into " + out.type(x));
            }
            // So many that every window finds its last layer, and whole strides.
            Dim wanted = depth.minus(1)
                    .plus(Math.ceilDiv(dilation * (kernel - 1) + 1, stride))
                    .times(stride);
            Dim missing = wanted.minus(out.type(first).dim(0)).minus(padding);
            boolean tooMany = missing.isConstant() && missing.value() < 0;
            ValueId padded = padded(first, padding, tooMany ? Dim.ZERO : missing, out);
            ValueId whole = SelectionFunctions.part(padded, 0, Dim.ZERO, wanted, out);
            List<Dim> dims = new ArrayList<>(out.type(whole).shape().dims());
            dims.set(0, wanted.divideExact(Dim.of(stride)).orElseThrow());
            dims.add(1, Dim.of(stride));
            return new Layers(out.reshape(whole, new Shape(dims)), depth, stride);
        }

        private static ValueId padded(ValueId x, int before, Dim after, Emission out) {
            if (before == 0 && after.is(0)) {
                return x;
            }
            List<Dim> low = List.of(Dim.of(before), Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO);
            List<Dim> high = List.of(after, Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO);
            return out.apply(new Pad(low, high, 0), x);
        }

        /** Layer {@code offset} of every window, as images [depth·N, C, H, W]. */
        ValueId images(int offset, Emission out) {
            ValueId strides = SelectionFunctions.part(volume, 1, Dim.of(offset % stride), Dim.ONE, out);
            ValueId chosen = SelectionFunctions.part(strides, 0, Dim.of(offset / stride), depth, out);
            TensorType type = out.type(chosen);
            Shape images = new Shape(List.of(depth.times(type.dim(2)), type.dim(3), type.dim(4), type.dim(5)));
            return out.reshape(chosen, images);
        }
    }

    private static Datum pooled(WindowPools pool, int[] dilation, Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("a pool in 3d", out.type(x), 5);
        int[] kernel = triple("kernel_size", args);
        int[] stride = args.isGiven("stride") ? triple("stride", args) : kernel;
        int[] padding = triple("padding", args);
        boolean ceil = args.flag("ceil_mode");
        Shape planes = new Shape(List.of(type.dim(0), type.dim(1).times(type.dim(2)), type.dim(3), type.dim(4)));
        PoolWindow plane = new PoolWindow(
                kernel[1], kernel[2], stride[1], stride[2], padding[1], padding[2], dilation[1], dilation[2], ceil);
        ValueId flat = pool.over(plane, out.reshape(x, planes), out);
        Dim height = out.type(flat).dim(2);
        Dim width = out.type(flat).dim(3);
        Shape columns = new Shape(List.of(type.dim(0), type.dim(1), type.dim(2), height.times(width)));
        PoolWindow column = new PoolWindow(kernel[0], 1, stride[0], 1, padding[0], 0, dilation[0], 1, ceil);
        ValueId deep = pool.over(column, out.reshape(flat, columns), out);
        Dim depth = out.type(deep).dim(2);
        return tensor(out.reshape(deep, new Shape(List.of(type.dim(0), type.dim(1), depth, height, width))));
    }
}
