package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.family.StepGroups;
import dev.remat.codegen.cuda.family.Workspaces;
import dev.remat.codegen.cuda.family.conv.ConvolutionKernels;
import dev.remat.codegen.cuda.family.norm.NormalizationKernels;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
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
        return architectures.stream()
                .mapToLong(architecture -> Workspaces.bytes(architecture, op, operands, results))
                .max()
                .orElseThrow();
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return switch (op) {
            case Reduce _, Concat _, Pad _, Attention _ -> true;
            case AttentionGradient _, AttentionBiasGradient _ -> index != 5;
            case AllFinite _,
                    AvgPool2d _,
                    AvgPool2dGradient _,
                    Conv2d _,
                    Conv2dWeightGradient _,
                    ConvTranspose2d _,
                    CrossEntropy _,
                    CrossEntropyGradient _,
                    CtcLoss _,
                    CtcLossGradient _,
                    CumulativeSum _,
                    Elementwise _,
                    Embedding _,
                    EmbeddingGradient _,
                    Gather _,
                    LearningRate _,
                    MatMul _,
                    MaxPool2d _,
                    MaxPool2dGradient _,
                    NormStatistics _,
                    NormalizeGradient _,
                    RandomOp _,
                    ResetSeed _,
                    ScatterAdd _,
                    Softmax _,
                    Sort _,
                    StepSeed _,
                    SumOfSquares _,
                    Update _,
                    View _ -> false;
        };
    }

    @Override
    public boolean placesResult(Op op, int index) {
        return op instanceof AttentionGradient || op instanceof Attention && index == 0;
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return switch (op) {
            case MatMul _, Conv2d _, ConvTranspose2d _, Conv2dWeightGradient _ -> true;
            case AllFinite _,
                    Attention _,
                    AttentionBiasGradient _,
                    AttentionGradient _,
                    AvgPool2d _,
                    AvgPool2dGradient _,
                    Concat _,
                    CumulativeSum _,
                    CrossEntropy _,
                    CrossEntropyGradient _,
                    CtcLoss _,
                    CtcLossGradient _,
                    Elementwise _,
                    Embedding _,
                    EmbeddingGradient _,
                    Gather _,
                    LearningRate _,
                    MaxPool2d _,
                    MaxPool2dGradient _,
                    NormStatistics _,
                    NormalizeGradient _,
                    Pad _,
                    RandomOp _,
                    Reduce _,
                    ResetSeed _,
                    ScatterAdd _,
                    Softmax _,
                    Sort _,
                    StepSeed _,
                    SumOfSquares _,
                    Update _,
                    View _ -> false;
        };
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
        boolean dilated = op instanceof MaxPool2d pool && pool.window().isDilated()
                || op instanceof MaxPool2dGradient gradient && gradient.window().isDilated();
        return !dilated && !ConvolutionKernels.isDepthwise(op, operands, results);
    }

    /** Convolutions of 16-bit floats gather 16 bytes of channels at a time, and write as many. */
    @Override
    public boolean prefersChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return ConvolutionKernels.preferChannelsLast(op, operands, results);
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
        return StepGroups.kind(body);
    }

    @Override
    public int mostTogether() {
        return ManyTensors.MOST;
    }

    @Override
    public boolean storesSeveral(Op op, List<TensorType> operands) {
        return op instanceof Elementwise
                || op instanceof Reduce
                || fusesEpilogue(op)
                || op instanceof NormalizeGradient gradient && NormalizationKernels.takesEpilogue(gradient, operands);
    }

    @Override
    public boolean fusesPrologue(Op op, List<TensorType> operands) {
        return op instanceof Reduce
                || op instanceof NormalizeGradient gradient && NormalizationKernels.takesPrologue(gradient, operands);
    }
}
