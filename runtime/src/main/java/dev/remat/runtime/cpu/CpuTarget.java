package dev.remat.runtime.cpu;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.conv.FindPrimitive;
import dev.remat.runtime.cpu.gemm.Gemm;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.List;

/**
 * What planning must know of the CPU kernels. Workspaces are sized for {@link WorkerPool#MOST_THREADS} threads, so that
 * a plan does not depend on the machine that made it.
 *
 * @param joins whether elementwise kernels may store results of several operations
 */
public record CpuTarget(boolean joins) implements TargetModel {
    private static final CpuKernels KERNELS = new CpuKernels(FindPrimitive.NONE);

    public CpuTarget() {
        this(true);
    }

    @Override
    public CpuTarget apart() {
        return new CpuTarget(false);
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public DeviceSpec device() {
        return DeviceSpec.of("cpu", 120e9, 120e9, 20e9, 2_000);
    }

    @Override
    public boolean overlapsSteps() {
        return true;
    }

    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        return KERNELS.of(op).kernel().apply(new OpTypes(operands, results)).workspaceBytes();
    }

    @Override
    public long rowsOfChunks(Op op, List<TensorType> operands, List<TensorType> results) {
        return op instanceof MatMul product ? Gemm.rowsOfChunks(product, new OpTypes(operands, results)) : 1;
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return KERNELS.of(op).strides().test(index);
    }

    @Override
    public boolean placesResult(Op op, int index) {
        return false;
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return KERNELS.of(op).epilogue();
    }

    @Override
    public boolean fusesPrologue(Op op, List<TensorType> operands) {
        return KERNELS.of(op).prologue();
    }

    @Override
    public boolean storesSeveral(Op op, List<TensorType> operands) {
        return joins && op instanceof Elementwise;
    }
}
