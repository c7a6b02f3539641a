package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;

/** Matrix products. A matrix that multiplies every row of a larger tensor does so in one product. */
public final class MatMulKernels {
    private MatMulKernels() {}

    public static void lower(MatMul op, KernelStepBinding step) {
        GemmProblem problem = problem(op, step.operandType(0), step.operandType(1), step.resultType(0));
        GemmOperand a =
                new GemmOperand.Dense(problem.dtype(), step.dense(0), problem.m(), problem.k(), !op.transposeA());
        GemmOperand b =
                new GemmOperand.Dense(problem.dtype(), step.dense(1), problem.n(), problem.k(), op.transposeB());
        new Gemm(problem, a, b, new ResultLayout.Dense(problem.m(), problem.n())).lower(step);
    }

    public static long workspaceBytes(
            Architecture architecture, MatMul op, TensorType a, TensorType b, TensorType result) {
        return TileModel.workspaceBytes(architecture, problem(op, a, b, result));
    }

    static GemmProblem problem(MatMul op, TensorType a, TensorType b, TensorType result) {
        long n = result.dim(result.rank() - 1).value();
        long k = b.dim(op.transposeB() ? b.rank() - 1 : b.rank() - 2).value();
        boolean flat = b.rank() == 2 && !op.transposeA();
        long m = flat ? result.elements() / n : result.dim(result.rank() - 2).value();
        return new GemmProblem(a.dtype(), result.elements() / m / n, m, n, k);
    }
}
