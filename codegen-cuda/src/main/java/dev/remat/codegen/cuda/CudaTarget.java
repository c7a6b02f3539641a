package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.family.Workspaces;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Plans for GPUs: products and convolutions take elementwise epilogues, reductions take prologues.
 *
 * @param architectures that one plan serves; costs are those of the first, workspaces suffice for all
 */
public record CudaTarget(List<Architecture> architectures) implements TargetModel {
    public CudaTarget {
        architectures = List.copyOf(architectures);
        if (architectures.isEmpty()) {
            throw new IllegalArgumentException("a target without an architecture");
        }
    }

    public CudaTarget(Architecture architecture) {
        this(List.of(architecture));
    }

    @Override
    public String name() {
        return architectures.stream().map(Architecture::label).collect(Collectors.joining(","));
    }

    @Override
    public DeviceSpec device() {
        return architectures.getFirst().device();
    }

    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        return architectures.stream()
                .mapToLong(architecture -> Workspaces.bytes(architecture, op, operands, results))
                .max()
                .orElseThrow();
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return op instanceof Reduce
                || op instanceof Concat
                || op instanceof Pad
                || op instanceof Attention
                || op instanceof AttentionGradient && index != 5;
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
