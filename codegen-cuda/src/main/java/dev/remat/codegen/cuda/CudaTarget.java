package dev.remat.codegen.cuda;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import java.util.List;

/** Plans for a GPU: products and convolutions take elementwise epilogues, reductions take prologues. */
public record CudaTarget(Architecture architecture) implements TargetModel {
    @Override
    public String name() {
        return architecture.label();
    }

    @Override
    public DeviceSpec device() {
        return architecture.device();
    }

    /** Products, convolutions and attention accumulate in registers and shared memory. */
    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        return 0;
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return op instanceof Reduce;
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return op instanceof MatMul
                || op instanceof Conv2d
                || op instanceof ConvTranspose2d
                || op instanceof Conv2dWeightGradient;
    }

    @Override
    public boolean fusesPrologue(Op op) {
        return op instanceof Reduce;
    }
}
