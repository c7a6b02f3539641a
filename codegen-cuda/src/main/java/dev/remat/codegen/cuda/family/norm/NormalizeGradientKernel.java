package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.NormalizeGradient;
import java.util.List;

/** The gradient of a normalization, in one of three ways, as gamma and the axes allow. */
public record NormalizeGradientKernel(NormalizeGradient op) implements CudaKernel {
    private enum Way {
        LAYER,
        BATCH,
        COMPOSED
    }

    private Way way(List<TensorType> operands) {
        if (LayerNormGradient.fits(op, operands)) {
            return Way.LAYER;
        }
        return BatchNormGradient.fits(op, operands) ? Way.BATCH : Way.COMPOSED;
    }

    /** Elementwise operations on the first result store what they give. */
    @Override
    public boolean storesSeveral(List<TensorType> operands) {
        return way(operands) == Way.LAYER;
    }

    @Override
    public boolean takesPrologue(List<TensorType> operands) {
        return way(operands) == Way.BATCH;
    }

    @Override
    public long workspaceBytes(OpTypes types) {
        List<TensorType> operands = types.operands();
        return switch (way(operands)) {
            case LAYER -> LayerNormGradient.workspaceBytes(types.architecture(), op, operands);
            case BATCH -> BatchNormGradient.workspaceBytes(op, operands);
            case COMPOSED -> ComposedNormGradient.workspaceBytes(op, operands);
        };
    }

    @Override
    public void lower(KernelStepBinding step) {
        switch (way(step.operandTypes())) {
            case LAYER -> LayerNormGradient.lower(op, step);
            case BATCH -> BatchNormGradient.lower(op, step);
            case COMPOSED -> ComposedNormGradient.lower(op, step);
        }
    }
}
