package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;

/** Matrix products. A matrix that multiplies every row of a larger tensor does so in one product. */
public record MatMulKernel(MatMul op) implements CudaKernel {
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
        new Gemm(problem, a, b, new ResultLayout.Dense(problem.m(), problem.n())).lower(step);
    }

    @Override
    public long workspaceBytes(OpTypes types) {
        return TileModel.workspaceBytes(types.architecture(), problem(types));
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
