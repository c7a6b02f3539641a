package dev.remat.codegen.cuda.family.attention;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import java.util.List;

/**
 * Attention without its matrix of scores (Dao et al., 2022). The gradient computes the probabilities again, in one
 * kernel that owns queries and one that owns keys, so that every sum has one order.
 */
public final class AttentionKernels {
    /** The family that computes on tensor cores. */
    private static final String TENSOR = "attention_tensor";

    private static final int DELTA_THREADS = 256;
    private static final long DELTA_PACK_BYTES = 16;
    private static final int WARP = 32;
    /** The operand of gradients that has a log-sum-exp a query. */
    static final int LOG_SUMS = 5;

    private AttentionKernels() {}

    /** What attends, with its operands as they lie. */
    public record Forward(Attention op) implements CudaKernel {
        @Override
        public boolean takesStrides(int index) {
            return true;
        }

        @Override
        public boolean placesResult(int index) {
            return index == 0;
        }

        @Override
        public void lower(KernelStepBinding step) {
            forward(op, step);
        }
    }

    /** The gradients by queries, keys and values. */
    public record Gradient(AttentionGradient op) implements CudaKernel {
        @Override
        public boolean takesStrides(int index) {
            return index != LOG_SUMS;
        }

        @Override
        public boolean placesResult(int index) {
            return true;
        }

        /** The deltas of {@link AttentionGradient}, one a query. */
        @Override
        public long workspaceBytes(OpTypes types) {
            return shape(types.operands()).rowBytes();
        }

        @Override
        public void lower(KernelStepBinding step) {
            gradient(op, step);
        }
    }

    private static void forward(Attention op, KernelStepBinding step) {
        AttentionShape shape = AttentionShape.of(step.operandTypes());
        if (shape.isEmpty()) {
            return;
        }
        String flags = flags(op, shape);
        boolean tensor = takesTensorCores(step) && AttentionTensorTile.computesForward(shape);
        if (tensor) {
            AttentionTensorTile tile = AttentionTensorTile.forward(shape);
            boolean aligned = AttentionShape.isAligned(step, 0, 1, 2) && AttentionShape.writesAligned(step, 0);
            KernelCall call = call("", tile.label(shape.type()), aligned, flags, "attention_tensor_forward.cuh");
            call.body("attention_tensor<" + tile.template() + ", " + aligned + template(op) + ">("
                    + forwardArguments(op, shape, call, step) + ");");
            step.launch(call.threads(tile.threads())
                    .leastBlocks(1)
                    .shared(tile.forwardSharedBytes())
                    .grid(Math.ceilDiv(shape.queries(), (long) tile.rows()) * shape.flatHeads()));
        } else {
            AttentionSimtTile tile = AttentionSimtTile.of(shape.type(), shape.width());
            KernelCall call = new KernelCall("attention", tile.label(shape.type()) + flags, "attention_plain.cuh");
            call.body("attention_plain<" + tile.template() + template(op) + ">("
                    + forwardArguments(op, shape, call, step) + ");");
            step.launch(call.threads(AttentionSimtTile.THREADS)
                    .leastBlocks(1)
                    .grid(tile.rowTiles(shape.queries()) * shape.flatHeads(), tile.columnTiles(shape.width()), 1));
        }
    }

    private static boolean takesTensorCores(KernelStepBinding step) {
        return step.options().allows(TENSOR);
    }

    private static KernelCall call(String part, String label, boolean aligned, String flags, String header) {
        return new KernelCall(TENSOR, part + label + (aligned ? "" : "_loose") + flags, header);
    }

    private static String forwardArguments(
            Attention op, AttentionShape shape, KernelCall call, KernelStepBinding step) {
        StringBuilder arguments = new StringBuilder(shape.declare(call));
        for (int operand = 0; operand < 3; operand++) {
            arguments.append(", ").append(AttentionShape.heads(call, step.read(operand)));
        }
        arguments.append(", ").append(mask(op, op.maskIndex(), call, step));
        arguments.append(", ").append(call.real(shape.type(), op.scale()));
        arguments.append(", ").append(AttentionShape.results(call, step, 0));
        arguments.append(", ").append(step.result(call, 1));
        if (op.biased()) {
            arguments.append(", ").append(bias(op.biasIndex(), call, step));
        }
        return arguments.toString();
    }

    private static String mask(Attention op, int operand, KernelCall call, KernelStepBinding step) {
        return op.masked() ? AttentionShape.heads(call, step.read(operand)) : AttentionShape.unmasked();
    }

    private static String bias(int operand, KernelCall call, KernelStepBinding step) {
        return biasType(operand, step) + "{" + AttentionShape.heads(call, step.read(operand)) + "}";
    }

    private static String biasType(int operand, KernelStepBinding step) {
        return "Bias<" + CudaType.of(step.operandType(operand).dtype()) + ">";
    }

    private static void gradient(AttentionGradient op, KernelStepBinding step) {
        AttentionShape shape = shape(step.operandTypes());
        if (shape.isEmpty()) {
            return;
        }
        delta(shape, step);
        if (step.hasResult(0)) {
            gradient(op, shape, false, step);
        }
        if (step.hasResult(1) || step.hasResult(2)) {
            gradient(op, shape, true, step);
        }
    }

    /** Of an operation that has the operands of {@link AttentionGradient}. */
    static AttentionShape shape(List<TensorType> operands) {
        return AttentionShape.of(operands.subList(1, 4));
    }

    /** Puts the deltas of {@link AttentionGradient}, one a query, at the beginning of the workspace. */
    static void delta(AttentionShape shape, KernelStepBinding step) {
        KernelCall call = new KernelCall("attention", "delta_" + shape.type().label(), "attention.cuh");
        String arguments = shape.declare(call) + ", " + AttentionShape.heads(call, step.read(0)) + ", "
                + AttentionShape.heads(call, step.read(4)) + ", "
                + step.workspace(call, CudaType.accumulator(shape.type()), 0, shape.rowBytes());
        long packs = Math.ceilDiv(shape.width() * shape.type().bytes(), DELTA_PACK_BYTES);
        int lanes = 1;
        while (lanes < WARP && lanes < packs) {
            lanes *= 2;
        }
        call.body("attention_delta<" + lanes + ", " + AttentionShape.isAligned(step, 0, 4) + ">(" + arguments + ");");
        long tiles = Math.ceilDiv(shape.queries(), DELTA_THREADS / lanes);
        step.launch(call.threads(DELTA_THREADS).grid(tiles * shape.flatHeads()));
    }

    /** The kernel that owns {@code keys}, or the one that owns queries. */
    private static void gradient(AttentionGradient op, AttentionShape shape, boolean keys, KernelStepBinding step) {
        String flags = flags(op.forward(), shape);
        String part = keys ? "dkdv_" : "dq_";
        long rows = keys ? shape.keys() : shape.queries();
        long heads = keys ? shape.flatKeyHeads() : shape.flatHeads();
        if (takesTensorCores(step) && AttentionTensorTile.computesGradient(shape)) {
            AttentionTensorTile tile = AttentionTensorTile.gradient(shape, keys);
            boolean aligned = AttentionShape.isAligned(step, 0, 1, 2, 3)
                    && (keys ? AttentionShape.writesAligned(step, 1, 2) : AttentionShape.writesAligned(step, 0));
            KernelCall call = call(part, tile.label(shape.type()), aligned, flags, "attention_tensor_gradient.cuh");
            call.body("attention_tensor_gradient<" + tile.template() + ", " + aligned + ", " + keys
                    + template(op.forward()) + ">("
                    + gradientArguments(op, shape, keys, call, step) + ");");
            step.launch(call.threads(tile.threads())
                    .leastBlocks(1)
                    .shared(tile.gradientSharedBytes())
                    .grid(Math.ceilDiv(rows, (long) tile.rows()) * heads));
        } else {
            long columns = keys ? Math.max(shape.depth(), shape.width()) : shape.depth();
            AttentionSimtTile tile = AttentionSimtTile.of(shape.type(), columns);
            KernelCall call =
                    new KernelCall("attention", part + tile.label(shape.type()) + flags, "attention_plain.cuh");
            call.body("attention_plain_gradient<" + tile.template() + ", " + keys
                    + template(op.forward()) + ">("
                    + gradientArguments(op, shape, keys, call, step) + ");");
            step.launch(call.threads(AttentionSimtTile.THREADS)
                    .leastBlocks(1)
                    .grid(tile.rowTiles(rows) * heads, tile.columnTiles(columns), 1));
        }
    }

    private static String gradientArguments(
            AttentionGradient op, AttentionShape shape, boolean keys, KernelCall call, KernelStepBinding step) {
        return String.join(
                ", ",
                shape.declare(call),
                backward(op, shape, call, step),
                AttentionShape.results(call, step, keys ? 1 : 0),
                keys
                        ? AttentionShape.results(call, step, 2)
                        : "HeadsOut<" + CudaType.of(shape.type()) + ">{nullptr, 0, 0, 0, 0}");
    }

    /** Declares everything that kernels of the gradients read. */
    static String backward(AttentionGradient op, AttentionShape shape, KernelCall call, KernelStepBinding step) {
        StringBuilder members = new StringBuilder();
        for (int operand : new int[] {1, 2, 3, 0}) {
            members.append(AttentionShape.heads(call, step.read(operand))).append(", ");
        }
        String wide = CudaType.accumulator(shape.type());
        members.append(mask(op.forward(), op.maskIndex(), call, step));
        members.append(", ").append(step.input(call, LOG_SUMS));
        members.append(", ").append(step.workspace(call, "const " + wide, 0, shape.rowBytes()));
        members.append(", ").append(call.real(shape.type(), op.forward().scale()));
        String added = "";
        if (op.forward().biased()) {
            members.append(", ").append(bias(op.biasIndex(), call, step));
            added = ", " + biasType(op.biasIndex(), step);
        }
        return "AttentionBackward<" + CudaType.of(shape.type()) + ", " + wide + added + ">{" + members + "}";
    }

    /** The part of a kernel's name that tells what it does beyond plain attention. */
    static String flags(Attention op, AttentionShape shape) {
        return (op.causal() ? "_causal" : "")
                + (op.masked() ? "_masked" : "")
                + (op.biased() ? "_biased" : "")
                + (shape.group() == 1 ? "" : "_grouped");
    }

    static String template(Attention op) {
        return ", " + op.causal() + ", " + op.masked();
    }
}
