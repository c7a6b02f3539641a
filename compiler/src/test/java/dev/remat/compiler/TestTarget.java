package dev.remat.compiler;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Update;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.Optional;

/**
 * A machine whose matrix products need scratch memory and dense operands and take elementwise work along. Convolutions
 * in bf16 want their images' channels last, means of windows want planes. Reductions and gradients of normalization
 * take along what leads to them.
 *
 * @param mostTogether casts to one dtype, or updates of one kind, that it runs at once
 * @param several whether a kernel stores several results of elementwise work
 */
public record TestTarget(long workspace, int mostTogether, boolean several) implements TargetModel {
    public TestTarget(long workspace) {
        this(workspace, 1, false);
    }

    public TestTarget() {
        this(512);
    }

    @Override
    public Optional<String> runsTogether(KernelBody body) {
        Op op = body.instructions().getFirst().op();
        return body.instructions().size() == 1 && (op instanceof Cast || op instanceof Update)
                ? Optional.of(op.mnemonic())
                : Optional.empty();
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public DeviceSpec device() {
        return DeviceSpec.of("test", 1e12, 2e12, 1e11, 1000);
    }

    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        return op instanceof MatMul ? workspace : 0;
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return op instanceof Reduce;
    }

    @Override
    public boolean placesResult(Op op, int index) {
        return op instanceof AttentionGradient || op instanceof Attention && index == 0;
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return op instanceof MatMul;
    }

    @Override
    public boolean storesSeveral(Op op, List<TensorType> operands) {
        return several && (op instanceof Elementwise || op instanceof Reduce || fusesEpilogue(op));
    }

    @Override
    public boolean fusesPrologue(Op op, List<TensorType> operands) {
        return op instanceof Reduce || op instanceof NormalizeGradient;
    }

    @Override
    public boolean takesChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return !(op instanceof AvgPool2d);
    }

    @Override
    public boolean prefersChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return op instanceof Conv2d && results.getFirst().dtype() == DType.BF16;
    }

    @Override
    public boolean givesMoments(Conv2d op, List<TensorType> operands, List<TensorType> results) {
        return op.geometry().layout() == ImageLayout.NHWC;
    }

    @Override
    public boolean keepsBits() {
        return true;
    }

    @Override
    public boolean savesPassesByEpilogues() {
        return true;
    }
}
