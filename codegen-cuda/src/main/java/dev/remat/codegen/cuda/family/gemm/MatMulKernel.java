package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import java.util.List;

/** Matrix products. A matrix that multiplies every row of a larger tensor does so in one product. */
public record MatMulKernel(MatMul op) implements CudaKernel {
    /** Columns from which sums of rows may be worth chunks. */
    private static final long WIDE = 4096;
    /** So many that their sums keep a GPU busy without splits. */
    private static final long UNSPLIT = 1 << 19;

    @Override
    public boolean takesEpilogue() {
        return true;
    }

    @Override
    public void lower(KernelStepBinding step) {
        GemmProblem problem = problem(step.types());
        GemmOperand a =
                new GemmOperand.Dense(problem.dtype(), step.dense(0), problem.m(), problem.k(), !op.transposeA());
        GemmOperand b =
                new GemmOperand.Dense(problem.dtype(), step.dense(1), problem.n(), problem.k(), op.transposeB());
        ResultLayout place = step.operandTypes().size() == 3
                ? new ResultLayout.Sums(
                        problem.m(), problem.n(), step.operandType(2).dtype(), step.dense(2))
                : new ResultLayout.Dense(problem.m(), problem.n());
        new Gemm(problem, a, b, place, whole(problem)).lower(step);
    }

    /** Rows of which all chunks of a product but the last have a multiple; {@code types} are those of the whole. */
    public List<Long> rowsOfChunks(OpTypes types) {
        return op.sumsRows() ? TileModel.termsOfChunks(types.architecture(), whole(problem(types))) : List.of(1L);
    }

    /**
     * The product that one is a chunk of, which tiles are chosen for. Sums of wide rows take those of wider ones, whose
     * sums are not split, since chunks end where splits do.
     */
    private GemmProblem whole(GemmProblem chunk) {
        long rows = op.wholeRows();
        if (!op.sumsRows()) {
            return rows == 0 ? chunk : new GemmProblem(chunk.dtype(), chunk.batches(), rows, chunk.n(), chunk.k());
        }
        long n = chunk.m() == 1 && chunk.n() >= WIDE ? Math.max(chunk.n(), UNSPLIT) : chunk.n();
        return new GemmProblem(chunk.dtype(), chunk.batches(), chunk.m(), n, rows == 0 ? chunk.k() : rows);
    }

    @Override
    public long workspaceBytes(OpTypes types) {
        GemmProblem problem = problem(types);
        return TileModel.workspaceBytes(types.architecture(), whole(problem), problem);
    }

    private GemmProblem problem(OpTypes types) {
        return problem(types.operand(0), types.operand(1), types.result(0));
    }

    GemmProblem problem(TensorType a, TensorType b, TensorType result) {
        long n = result.dim(result.rank() - 1).value();
        long k = b.dim(op.transposeB() ? b.rank() - 1 : b.rank() - 2).value();
        boolean flat = b.rank() == 2 && !op.transposeA();
        long m = flat ? result.elements() / n : result.dim(result.rank() - 2).value();
        return new GemmProblem(a.dtype(), result.elements() / m / n, m, n, k);
    }
}
