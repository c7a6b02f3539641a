package dev.remat.runtime.executor;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.AttentionGradientKernel;
import dev.remat.runtime.cpu.AttentionKernel;
import dev.remat.runtime.cpu.Conv;
import dev.remat.runtime.cpu.ConvWeightGradient;
import dev.remat.runtime.cpu.NormGradient;
import dev.remat.runtime.cpu.NormStatisticsKernel;
import dev.remat.runtime.cpu.ReduceKernel;
import java.util.List;
import java.util.Optional;

/**
 * Plans for the CPU. Workspaces are sized for {@link #SLOTS} threads whatever the machine, so that a model has one plan
 * everywhere; an executor uses no more threads than that.
 */
public final class CpuTarget implements TargetModel {
    /** Most threads that share a kernel. */
    public static final int SLOTS = 8;

    /** Operand of an attention gradient that is read densely. */
    private static final int LOG_SUM_EXP = 5;

    /** Two cores of a small server: what one sustains in products, and its memory bandwidth. */
    private static final DeviceSpec DEVICE = new DeviceSpec("cpu", 1e11, 1e11, 2e10, 3000);

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public DeviceSpec device() {
        return DEVICE;
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return switch (op) {
            case Reduce r -> true;
            case Attention a -> true;
            case AttentionGradient a -> index != LOG_SUM_EXP;
            default -> false;
        };
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return op instanceof MatMul || op instanceof Conv2d || op instanceof ConvTranspose2d;
    }

    @Override
    public boolean fusesPrologue(Op op) {
        return op instanceof Reduce;
    }

    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        return switch (op) {
            case MatMul m -> KernelShapes.gemm(m, operands.get(0), operands.get(1)).workspaceBytes(SLOTS);
            case Conv2d c -> new Conv(
                            KernelShapes.conv(c.geometry(), operands.get(0), results.getFirst(), operands.get(1)))
                    .workspaceBytes(SLOTS);
            case ConvTranspose2d c -> new Conv(
                            KernelShapes.conv(c.geometry(), results.getFirst(), operands.get(0), operands.get(1)))
                    .transposedWorkspaceBytes(SLOTS);
            case Conv2dWeightGradient c -> new ConvWeightGradient(
                            KernelShapes.conv(c.geometry(), operands.get(0), operands.get(1), c.kernelH(), c.kernelW()))
                    .workspaceBytes(SLOTS);
            case Reduce r -> {
                TensorType x = operands.getFirst();
                int[] dims = Extents.of(x.shape());
                yield ReduceKernel.workspaceBytes(
                        x.dtype(), dims, Extents.reduced(r.axes(), dims.length));
            }
            case NormStatistics n -> {
                int[] dims = Extents.of(operands.getFirst().shape());
                yield NormStatisticsKernel.workspaceBytes(
                        dims, Extents.reduced(n.axes(), dims.length));
            }
            case NormalizeGradient n -> normalizeGradient(n, operands);
            case CrossEntropy c -> KernelShapes.crossEntropy(
                            operands.get(0), operands.get(1), c.labelSmoothing(), c.ignoreIndex())
                    .workspaceBytes();
            case EmbeddingGradient e ->
                KernelShapes.embedding(results.getFirst(), operands.get(1)).gradientWorkspaceBytes();
            case Attention a -> AttentionKernel.workspaceBytes(
                    AttentionKernels.shape(a.scale(), a.causal(), operands.get(0), operands.get(1), operands.get(2)),
                    SLOTS);
            case AttentionGradient a -> AttentionGradientKernel.workspaceBytes(
                    AttentionKernels.shape(a.scale(), a.causal(), operands.get(1), operands.get(2), operands.get(3)),
                    SLOTS);
            default -> 0;
        };
    }

    private static long normalizeGradient(NormalizeGradient op, List<TensorType> operands) {
        TensorType x = operands.get(1);
        int[] dims = Extents.of(x.shape());
        Optional<int[]> gamma = op.scaled()
                ? Optional.of(Extents.of(operands.getLast().shape()))
                : Optional.empty();
        return NormGradient.workspaceBytes(x.dtype(), dims, Extents.reduced(op.axes(), dims.length), gamma);
    }
}
