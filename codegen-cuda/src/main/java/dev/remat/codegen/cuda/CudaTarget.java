package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.codegen.cuda.family.CudaKernels;
import dev.remat.codegen.cuda.family.gemm.MatMulKernel;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Plans for GPUs: products and convolutions take elementwise epilogues, reductions and gradients
 * of batch normalization take prologues.
 *
 * @param architectures that one plan serves; costs are those of the first, workspaces suffice for all
 */
public record CudaTarget(List<Architecture> architectures) implements TargetModel {
    /** Rows of a chunk are a multiple of it. */
    private static final long RUN = 256;

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

    /** Copy engines take any bytes. */
    @Override
    public long transferAlignment() {
        return alignment();
    }

    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        CudaKernel kernel = CudaKernels.of(op);
        return architectures.stream()
                .mapToLong(architecture -> kernel.workspaceBytes(new OpTypes(architecture, operands, results)))
                .max()
                .orElseThrow();
    }

    /** A multiple of 256, so that operands of a chunk lie as well as those of the whole. */
    @Override
    public long rowsOfChunks(Op op, List<TensorType> operands, List<TensorType> results) {
        long rows = RUN;
        if (op instanceof MatMul product) {
            for (Architecture architecture : architectures) {
                OpTypes types = new OpTypes(architecture, operands, results);
                for (long run : new MatMulKernel(product).rowsOfChunks(types)) {
                    rows = leastCommonMultiple(rows, run);
                }
            }
        }
        return rows;
    }

    private static long leastCommonMultiple(long a, long b) {
        return a / BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).longValueExact() * b;
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return CudaKernels.of(op).takesStrides(index);
    }

    @Override
    public boolean placesResult(Op op, int index) {
        return CudaKernels.of(op).placesResult(index);
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return CudaKernels.of(op).takesEpilogue();
    }

    @Override
    public boolean keepsBits() {
        return true;
    }

    /** What follows a product or a convolution computes on sums that are still in the multiprocessor. */
    @Override
    public boolean savesPassesByEpilogues() {
        return true;
    }

    @Override
    public boolean takesChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return CudaKernels.of(op).takesChannelsLast(new OpTypes(architectures.getFirst(), operands, results));
    }

    @Override
    public boolean prefersChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return CudaKernels.of(op).prefersChannelsLast(new OpTypes(architectures.getFirst(), operands, results));
    }

    /** A tile whose rows are pixels sums its columns on the way out. */
    @Override
    public boolean givesMoments(Conv2d op, List<TensorType> operands, List<TensorType> results) {
        return op.geometry().layout() == ImageLayout.NHWC
                && results.getFirst().dtype().bytes() == 2;
    }

    /** A captured graph draws anew at every replay. */
    @Override
    public boolean readsDrawInputs() {
        return true;
    }

    /** Casts of parameters, updates of one kind, and running statistics share launches. */
    @Override
    public Optional<String> runsTogether(KernelBody body) {
        return body.instructions().size() == 1
                ? CudaKernels.of(body.instructions().getFirst().op()).kind(body)
                : Optional.empty();
    }

    @Override
    public int mostTogether() {
        return ManyTensors.MOST;
    }

    @Override
    public boolean storesSeveral(Op op, List<TensorType> operands) {
        return CudaKernels.of(op).storesSeveral(operands);
    }

    @Override
    public boolean fusesPrologue(Op op, List<TensorType> operands) {
        return CudaKernels.of(op).takesPrologue(operands);
    }
}
