package dev.remat.codegen.cuda.family.index;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.move.Word;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.EmbeddingGradient;
import java.util.List;

/** Rows of a table, and the sums of what each row got. */
public final class EmbeddingKernels {
    private static final int THREADS = 256;
    /** Words that a thread has in flight. */
    private static final int UNROLL = 4;

    private EmbeddingKernels() {}

    public static void forward(KernelStepBinding step) {
        TensorType table = step.operandType(0);
        DType ids = step.operandType(1).dtype();
        long rowBytes = table.dim(1).value() * table.dtype().bytes();
        long bytes = step.resultType(0).bytes();
        if (bytes == 0) {
            return;
        }
        if (step.resultType(0).dtype() != table.dtype()) {
            rounded(step);
            return;
        }
        Word word = Word.dividing(step.dense(0), step.resultAddress(0), rowBytes);
        long count = bytes / word.bytes();
        long rowWords = rowBytes / word.bytes();
        boolean narrow = count < 1L << 31;
        KernelCall call = new KernelCall("embedding", word.label(), "embedding.cuh");
        String arguments = call.pointer("const " + word.type(), step.dense(0)) + ", " + step.input(call, 1) + ", "
                + call.pointer(word.type(), step.resultAddress(0)) + ", "
                + call.index(narrow, count) + ", "
                + call.index(narrow, rowWords) + ", "
                + call.divisor(narrow, rowWords) + ", "
                + call.u64(table.dim(0).value());
        call.body("pick_rows<" + UNROLL + ", " + word.type() + ", " + CudaType.of(ids) + ">(" + arguments + ");");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(count, (long) THREADS * UNROLL)));
    }

    /** Rows that are rounded as they are picked. */
    private static void rounded(KernelStepBinding step) {
        DType from = step.operandType(0).dtype();
        DType to = step.resultType(0).dtype();
        long width = step.operandType(0).dim(1).value();
        int pack = (int) Math.min(16 / to.bytes(), Long.lowestOneBit(width));
        while (pack > 1
                && (step.dense(0) % Math.min(16, pack * from.bytes()) != 0
                        || step.resultAddress(0) % ((long) pack * to.bytes()) != 0)) {
            pack /= 2;
        }
        long count = step.resultType(0).elements() / pack;
        long rowPacks = width / pack;
        boolean narrow = count < 1L << 31;
        KernelCall call = new KernelCall("embedding", from.label() + "_" + to.label() + "_v" + pack, "embedding.cuh");
        String arguments = String.join(
                ", ",
                step.input(call, 0),
                step.input(call, 1),
                step.result(call, 0),
                call.index(narrow, count),
                call.index(narrow, rowPacks),
                call.divisor(narrow, rowPacks),
                call.u64(step.operandType(0).dim(0).value()));
        call.body("round_rows<" + pack + ">(" + arguments + ");");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(count, (long) THREADS)));
    }

    public static CudaKernel of(EmbeddingGradient op) {
        return CudaKernel.of(types -> gradientWorkspaceBytes(op, types.operands()), step -> gradient(op, step));
    }

    private static void gradient(EmbeddingGradient op, KernelStepBinding step) {
        TensorType dy = step.operandType(0);
        TensorType ids = step.operandType(1);
        long rows = op.rows().value();
        long width = dy.dim(dy.rank() - 1).value();
        if (rows * width == 0) {
            return;
        }
        sums(op, step.operandTypes())
                .launch(
                        step,
                        "embedding.cuh",
                        call -> "RowKeys<" + CudaType.of(ids.dtype()) + ">{" + step.input(call, 1) + ", "
                                + call.u32(rows) + "}",
                        width);
    }

    private static SegmentSums sums(EmbeddingGradient op, List<TensorType> operands) {
        return new SegmentSums(operands.get(1).elements(), op.rows().value());
    }

    private static long gradientWorkspaceBytes(EmbeddingGradient op, List<TensorType> operands) {
        TensorType dy = operands.getFirst();
        return sums(op, operands).workspaceBytes(dy.dim(dy.rank() - 1).value(), dy.dtype());
    }
}
