package dev.remat.codegen.cuda.family.image;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.PoolWindow;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Pooling and its gradients. Every result is gathered by one thread, gradients from the windows that cover an input, so
 * no sum depends on how images are divided among blocks.
 */
public final class PoolingKernels {
    private static final int THREADS = 256;
    /** Results that one thread computes. */
    private static final int PIXELS = 4;
    /** Windows whose maxima a block remembers at once. */
    private static final int SLOTS = 2048;

    private PoolingKernels() {}

    public static CudaKernel of(MaxPool2d op) {
        return new Gathered(op.window(), "max", "", false);
    }

    public static CudaKernel of(AvgPool2d op) {
        return new Gathered(op.window(), "mean", String.valueOf(op.countPadding()), false);
    }

    public static CudaKernel of(AvgPool2dGradient op) {
        return new Gathered(op.window(), "mean", String.valueOf(op.countPadding()), true);
    }

    /**
     * What is gathered from one tensor.
     *
     * @param padded for a mean whether padding counts, {@code true} or {@code false}, else empty
     */
    private record Gathered(PoolWindow window, String kind, String padded, boolean gradient) implements CudaKernel {
        @Override
        public boolean takesChannelsLast(OpTypes types) {
            return !window.isDilated();
        }

        @Override
        public void lower(KernelStepBinding step) {
            boolean channels = window.layout() == ImageLayout.NHWC;
            if (window.isDilated() && !channels) {
                dilatedMax(window, step);
                return;
            }
            int side = gradient ? 0 : PoolingKernels.side(window);
            int width = channels ? ChannelPooling.width(step, 0) : 1;
            String name = kind + (padded.equals("true") ? "_padded" : "") + (gradient ? "_gradient" : "");
            KernelCall call = channels ? ChannelPooling.call(step, name, side, width) : call(step, name, side);
            String template = Stream.of(
                            gradient ? "" : String.valueOf(side), padded, channels ? String.valueOf(width) : "")
                    .filter(each -> !each.isEmpty())
                    .collect(Collectors.joining(", "));
            TensorType from = step.operandType(0);
            TensorType to = step.resultType(0);
            String text = kind + "_pool" + (channels ? "_channels" : "") + (gradient ? "_gradient" : "") + "<"
                    + template + ">("
                    + String.join(
                            ", ",
                            step.input(call, 0),
                            step.result(call, 0),
                            PoolingKernels.window(call, window, gradient ? to : from, gradient ? from : to));
            if (channels) {
                ChannelPooling.launch(step, call, text, 1, width);
            } else {
                gather(step, call, text);
            }
        }
    }

    /** The gradient of maxima, which reads their images again. */
    public record MaxGradient(MaxPool2dGradient op) implements CudaKernel {
        @Override
        public boolean takesChannelsLast(OpTypes types) {
            return !op.window().isDilated();
        }

        @Override
        public long workspaceBytes(OpTypes types) {
            return gradientWorkspaceBytes(op, types.operands());
        }

        @Override
        public void lower(KernelStepBinding step) {
            maxGradient(op, step);
        }
    }

    private static void maxGradient(MaxPool2dGradient op, KernelStepBinding step) {
        if (op.window().layout() == ImageLayout.NHWC) {
            ChannelPooling.maxGradient(op, step);
            return;
        }
        if (op.window().isDilated()) {
            dilatedMaxGradient(op, step);
            return;
        }
        KernelCall call = call(step, "max_gradient", side(op.window()));
        String dy = step.input(call, 0);
        String x = step.input(call, 1);
        String dx = step.result(call, 0);
        String window = window(call, op.window(), step.operandType(1), step.operandType(0));
        PlaneTiling tiling = tiling(step);
        long height =
                reaching(tiling.tileHeight(), op.window().windowH(), op.window().strideH());
        long width =
                reaching(tiling.tileWidth(), op.window().windowW(), op.window().strideW());
        String inputs = tiling.declare(call);
        String box = KernelCall.struct(
                "WindowBox",
                call.u32(tiling.tilePlanes() * height * width),
                call.u32(height),
                call.u32(width),
                call.u64(Divisor.magic(height * width)),
                call.u64(Divisor.magic(width)));
        call.body("max_pool_gradient<" + side(op.window()) + ", " + PIXELS + ", " + SLOTS + ">("
                + String.join(", ", dy, x, dx, window, inputs, box) + ");");
        step.launch(call.grid(tiling.blocks()));
    }

    private static void dilatedMax(PoolWindow window, KernelStepBinding step) {
        KernelCall call = dilated("max_", step);
        String x = step.input(call, 0);
        String y = step.result(call, 0);
        String declared = dilatedWindow(call, window, step.operandType(0), step.resultType(0));
        gather(step, call, "dilated_max(" + x + ", " + y + ", " + declared);
    }

    /** First finds where the maximum of each window is, then what each input gets from the windows over it. */
    private static void dilatedMaxGradient(MaxPool2dGradient op, KernelStepBinding step) {
        TensorType dy = step.operandType(0);
        TensorType x = step.operandType(1);
        long bytes = gradientWorkspaceBytes(op, step.operandTypes());
        KernelCall maxima = dilated("maxima_", step);
        String image = step.input(maxima, 1);
        String places = step.workspace(maxima, "u32", 0, bytes);
        String window = dilatedWindow(maxima, op.window(), x, dy);
        PlaneTiling outputs = PlaneTiling.of(dy, (long) THREADS * PIXELS);
        maxima.body("dilated_maxima(" + image + ", " + places + ", " + window + ", " + outputs.declare(maxima) + ");");
        step.launch(maxima.grid(outputs.blocks()));
        KernelCall call = dilated("max_gradient_", step);
        String text = "dilated_max_gradient("
                + String.join(
                        ", ",
                        step.input(call, 0),
                        step.workspace(call, "const u32", 0, bytes),
                        step.result(call, 0),
                        dilatedWindow(call, op.window(), x, dy));
        gather(step, call, text);
    }

    /** Where the maximum of each window is, if there are elements between those of a window. */
    private static long gradientWorkspaceBytes(MaxPool2dGradient op, List<TensorType> operands) {
        return op.window().isDilated() ? operands.getFirst().elements() * Integer.BYTES : 0;
    }

    private static KernelCall dilated(String name, KernelStepBinding step) {
        String type = CudaType.of(step.resultType(0).dtype());
        return new KernelCall("dilated_pooling", name + type, "dilated_pooling.cuh").threads(THREADS);
    }

    private static String dilatedWindow(KernelCall call, PoolWindow window, TensorType x, TensorType y) {
        return KernelCall.struct(
                "DilatedWindow",
                window(call, window, x, y),
                call.u32(window.dilationH()),
                call.u32(window.dilationW()));
    }

    /** Windows that reach into {@code extent} neighbouring rows, at most. */
    static long reaching(long extent, long window, long stride) {
        return (extent + window - 2) / stride + 1;
    }

    private static KernelCall call(KernelStepBinding step, String name, int side) {
        DType type = step.resultType(0).dtype();
        String variant = name + "_" + CudaType.of(type) + (side == 0 ? "" : "_" + side + "x" + side);
        return new KernelCall("pooling", variant, "pooling.cuh").threads(THREADS);
    }

    /** Launches a kernel that gathers each result; {@code text} lacks how results are divided. */
    private static void gather(KernelStepBinding step, KernelCall call, String text) {
        PlaneTiling tiling = tiling(step);
        call.body(text + ", " + tiling.declare(call) + ");");
        step.launch(call.grid(tiling.blocks()));
    }

    private static PlaneTiling tiling(KernelStepBinding step) {
        return PlaneTiling.of(step.resultType(0), (long) THREADS * PIXELS);
    }

    /** Side of the squares that kernels are unrolled for, 0 for all other windows. */
    static int side(PoolWindow window) {
        boolean small = window.windowH() == window.windowW() && (window.windowH() == 2 || window.windowH() == 3);
        return small ? window.windowH() : 0;
    }

    static String window(KernelCall call, PoolWindow window, TensorType x, TensorType y) {
        return KernelCall.struct(
                "PoolWindow",
                call.u32(window.layout().height(x).value()),
                call.u32(window.layout().width(x).value()),
                call.u32(window.layout().height(y).value()),
                call.u32(window.layout().width(y).value()),
                call.u32(window.windowH()),
                call.u32(window.windowW()),
                call.u32(window.strideH()),
                call.u32(window.strideW()),
                call.u32(window.paddingH()),
                call.u32(window.paddingW()),
                call.u64(Divisor.magic(window.strideH())),
                call.u64(Divisor.magic(window.strideW())));
    }
}
