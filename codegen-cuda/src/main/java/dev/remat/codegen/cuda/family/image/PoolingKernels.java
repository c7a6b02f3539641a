package dev.remat.codegen.cuda.family.image;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.PoolWindow;
import java.util.List;

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

    public static void max(MaxPool2d op, KernelStepBinding step) {
        if (op.window().layout() == ImageLayout.NHWC) {
            ChannelPooling.max(op, step);
            return;
        }
        if (op.window().isDilated()) {
            dilatedMax(op, step);
            return;
        }
        KernelCall call = call(step, "max", side(op.window()));
        String x = step.input(call, 0);
        String y = step.result(call, 0);
        String window = window(call, op.window(), step.operandType(0), step.resultType(0));
        gather(step, call, "max_pool<" + side(op.window()) + ">(" + x + ", " + y + ", " + window);
    }

    public static void mean(AvgPool2d op, KernelStepBinding step) {
        if (op.window().layout() == ImageLayout.NHWC) {
            ChannelPooling.mean(op, step);
            return;
        }
        KernelCall call = call(step, op.countPadding() ? "mean_padded" : "mean", side(op.window()));
        String x = step.input(call, 0);
        String y = step.result(call, 0);
        String window = window(call, op.window(), step.operandType(0), step.resultType(0));
        gather(
                step,
                call,
                "mean_pool<" + side(op.window()) + ", " + op.countPadding() + ">(" + x + ", " + y + ", " + window);
    }

    public static void meanGradient(AvgPool2dGradient op, KernelStepBinding step) {
        if (op.window().layout() == ImageLayout.NHWC) {
            ChannelPooling.meanGradient(op, step);
            return;
        }
        KernelCall call = call(step, op.countPadding() ? "mean_padded_gradient" : "mean_gradient", 0);
        String dy = step.input(call, 0);
        String dx = step.result(call, 0);
        String window = window(call, op.window(), step.resultType(0), step.operandType(0));
        gather(step, call, "mean_pool_gradient<" + op.countPadding() + ">(" + dy + ", " + dx + ", " + window);
    }

    public static void maxGradient(MaxPool2dGradient op, KernelStepBinding step) {
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
        String box = "WindowBox{"
                + String.join(
                        ", ",
                        call.u32(tiling.tilePlanes() * height * width),
                        call.u32(height),
                        call.u32(width),
                        call.u64(Divisor.magic(height * width)),
                        call.u64(Divisor.magic(width)))
                + "}";
        call.body("max_pool_gradient<" + side(op.window()) + ", " + PIXELS + ", " + SLOTS + ">("
                + String.join(", ", dy, x, dx, window, inputs, box) + ");");
        step.launch(call.grid(tiling.blocks()));
    }

    private static void dilatedMax(MaxPool2d op, KernelStepBinding step) {
        KernelCall call = dilated("max_", step);
        String x = step.input(call, 0);
        String y = step.result(call, 0);
        String window = dilatedWindow(call, op.window(), step.operandType(0), step.resultType(0));
        gather(step, call, "dilated_max(" + x + ", " + y + ", " + window);
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
    public static long gradientWorkspaceBytes(MaxPool2dGradient op, List<TensorType> operands) {
        return op.window().isDilated() ? operands.getFirst().elements() * Integer.BYTES : 0;
    }

    private static KernelCall dilated(String name, KernelStepBinding step) {
        String type = CudaType.of(step.resultType(0).dtype());
        return new KernelCall("dilated_pooling", name + type, "dilated_pooling.cuh").threads(THREADS);
    }

    private static String dilatedWindow(KernelCall call, PoolWindow window, TensorType x, TensorType y) {
        return "DilatedWindow{"
                + String.join(
                        ", ", window(call, window, x, y), call.u32(window.dilationH()), call.u32(window.dilationW()))
                + "}";
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
        return "PoolWindow{"
                + String.join(
                        ", ",
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
                        call.u64(Divisor.magic(window.strideW())))
                + "}";
    }
}
