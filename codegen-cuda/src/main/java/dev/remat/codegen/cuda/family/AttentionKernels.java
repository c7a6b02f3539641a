package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import java.util.List;

/**
 * Attention without its matrix of scores (Dao et al., 2022). The gradient computes the probabilities again, in one
 * kernel that owns queries and one that owns keys, so that every sum has one order.
 */
final class AttentionKernels {
    private static final int THREADS = 256;

    private AttentionKernels() {}

    static void forward(Attention op, StepBinding step) {
        AttentionShape shape = AttentionShape.of(step.operandType(0), step.operandType(2));
        if (shape.isEmpty()) {
            return;
        }
        PlainTile tile = PlainTile.of(shape.type(), shape.width());
        KernelCall call = new KernelCall("attention", tile.label(shape.type()) + flags(op.causal(), op.masked()),
                "attention_plain.cuh");
        String extents = shape.declare(call);
        StringBuilder arguments = new StringBuilder(extents);
        for (int operand = 0; operand < 3; operand++) {
            arguments.append(", ").append(AttentionShape.heads(call, step.read(operand)));
        }
        arguments.append(", ").append(op.masked() ? AttentionShape.heads(call, step.read(3))
                : AttentionShape.unmasked());
        arguments.append(", ").append(call.real(shape.type(), op.scale()));
        arguments.append(", ").append(step.result(call, 0)).append(", ").append(step.result(call, 1));
        call.body("attention_plain<" + tile.template() + ", " + op.causal() + ", " + op.masked() + ">(" + arguments
                + ");");
        step.launch(call.threads(THREADS).leastBlocks(1)
                .grid(tile.rowTiles(shape.queries()) * shape.flatHeads(), tile.columnTiles(shape.width()), 1));
    }

    static void gradient(AttentionGradient op, StepBinding step) {
        AttentionShape shape = AttentionShape.of(step.operandType(1), step.operandType(3));
        if (shape.isEmpty()) {
            return;
        }
        delta(shape, step);
        if (step.hasResult(0)) {
            plainGradient(op, shape, false, step);
        }
        if (step.hasResult(1) || step.hasResult(2)) {
            plainGradient(op, shape, true, step);
        }
    }

    private static void delta(AttentionShape shape, StepBinding step) {
        KernelCall call = new KernelCall("attention", "delta_" + shape.type().label(), "attention.cuh");
        String arguments = shape.declare(call) + ", " + AttentionShape.heads(call, step.read(0)) + ", "
                + AttentionShape.heads(call, step.read(4)) + ", "
                + step.workspace(call, CudaType.accumulator(shape.type()), 0, shape.rowBytes()) + ", "
                + call.u64(shape.rows());
        call.body("attention_delta(" + arguments + ");");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(shape.rows(), 8L)));
    }

    private static void plainGradient(AttentionGradient op, AttentionShape shape, boolean keys, StepBinding step) {
        long columns = keys ? Math.max(shape.depth(), shape.width()) : shape.depth();
        PlainTile tile = PlainTile.of(shape.type(), columns);
        KernelCall call = new KernelCall("attention",
                (keys ? "dkdv_" : "dq_") + tile.label(shape.type()) + flags(op.causal(), op.masked()),
                "attention_plain.cuh");
        String arguments = shape.declare(call) + ", " + backward(op, shape, call, step) + ", "
                + step.result(call, keys ? 1 : 0) + ", "
                + (keys ? step.result(call, 2) : "static_cast<" + CudaType.of(shape.type()) + "*>(nullptr)");
        call.body("attention_plain_gradient<" + tile.template() + ", " + keys + ", " + op.causal() + ", "
                + op.masked() + ">(" + arguments + ");");
        long rows = keys ? shape.keys() : shape.queries();
        step.launch(call.threads(THREADS).leastBlocks(1)
                .grid(tile.rowTiles(rows) * shape.flatHeads(), tile.columnTiles(columns), 1));
    }

    /** Declares everything that kernels of the gradient read. */
    private static String backward(AttentionGradient op, AttentionShape shape, KernelCall call, StepBinding step) {
        StringBuilder members = new StringBuilder();
        for (int operand : new int[] {1, 2, 3, 0}) {
            members.append(AttentionShape.heads(call, step.read(operand))).append(", ");
        }
        String wide = CudaType.accumulator(shape.type());
        members.append(op.masked() ? AttentionShape.heads(call, step.read(6)) : AttentionShape.unmasked());
        members.append(", ").append(step.input(call, 5));
        members.append(", ").append(step.workspace(call, "const " + wide, 0, shape.rowBytes()));
        members.append(", ").append(call.real(shape.type(), op.scale()));
        return "AttentionBackward<" + CudaType.of(shape.type()) + ", " + wide + ">{" + members + "}";
    }

    private static String flags(boolean causal, boolean masked) {
        return (causal ? "_causal" : "") + (masked ? "_masked" : "");
    }

    /** The deltas of {@link AttentionGradient}, one a query. */
    static long gradientWorkspaceBytes(AttentionGradient op, List<TensorType> operands) {
        return AttentionShape.of(operands.get(1), operands.get(3)).rowBytes();
    }

    /**
     * A block's share without tensor cores.
     *
     * @param rows neighbours that a thread owns
     * @param groups of columns that a thread computes
     */
    private record PlainTile(int rows, int groups) {
        static PlainTile of(DType type, long columns) {
            int rows = type == DType.F64 ? 2 : 4;
            return new PlainTile(rows, columns > 16 * rows ? 2 : 1);
        }

        String template() {
            return rows + ", " + groups;
        }

        String label(DType type) {
            return type.label() + "_w" + 16 * rows * groups;
        }

        long rowTiles(long extent) {
            return Math.ceilDiv(extent, 16L * rows);
        }

        long columnTiles(long extent) {
            return Math.ceilDiv(extent, 16L * rows * groups);
        }
    }
}
