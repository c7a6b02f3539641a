package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.Emitter;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.RandomSource;
import dev.remat.codegen.cuda.emit.StepGroup;
import dev.remat.codegen.cuda.family.attention.AttentionBiasKernels;
import dev.remat.codegen.cuda.family.attention.AttentionKernels;
import dev.remat.codegen.cuda.family.conv.ConvolutionKernels;
import dev.remat.codegen.cuda.family.elementwise.ElementwiseKernels;
import dev.remat.codegen.cuda.family.gemm.MatMulKernels;
import dev.remat.codegen.cuda.family.image.PoolingKernels;
import dev.remat.codegen.cuda.family.index.EmbeddingKernels;
import dev.remat.codegen.cuda.family.index.GatherKernels;
import dev.remat.codegen.cuda.family.move.CopyKernels;
import dev.remat.codegen.cuda.family.norm.NormalizationKernels;
import dev.remat.codegen.cuda.family.reduce.ReduceKernels;
import dev.remat.codegen.cuda.family.reduce.TensorListKernels;
import dev.remat.codegen.cuda.family.row.CrossEntropyKernels;
import dev.remat.codegen.cuda.family.row.CtcKernels;
import dev.remat.codegen.cuda.family.row.RowOrderKernels;
import dev.remat.codegen.cuda.family.row.SoftmaxKernels;
import dev.remat.codegen.cuda.family.update.UpdateKernels;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
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
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import dev.remat.ir.target.KernelLimit;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Chooses the family of kernels for a step. */
public final class LowerKernelStep {
    private LowerKernelStep() {}

    /**
     * Lowers a plan's steps in order; some that follow one another become one launch, if they run equally often and
     * nothing begins to be moved or is waited for between them.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if a step is larger than its kernel counts
     */
    public static void run(ExecutionPlan plan, RandomSource random, Emitter emitter) {
        SortedSet<Integer> met = new TreeSet<>();
        plan.transfers().events().forEach(event -> met.add(event.before()));
        plan.sections().forEach(section -> run(plan.steps(), section, met, random, emitter));
    }

    /** @param met steps in front of which kernels meet transfers */
    private static void run(
            List<KernelStep> steps, Section section, SortedSet<Integer> met, RandomSource random, Emitter emitter) {
        Optional<StepGroup> open = Optional.empty();
        for (int i = section.from(); i < section.to(); i++) {
            int anchor = steps.get(i).body().anchor();
            KernelStepBinding step = new KernelStepBinding(steps.get(i), i, anchor, random, emitter);
            Optional<StepGroup> longer = met.contains(i) ? Optional.empty() : open.flatMap(group -> group.with(step));
            if (longer.isEmpty()) {
                open.ifPresent(LowerKernelStep::lowerWithin);
                longer = StepGroups.of(step);
                if (longer.isEmpty()) {
                    lowerWithin(step, () -> lower(step));
                }
            }
            open = longer;
        }
        open.ifPresent(LowerKernelStep::lowerWithin);
    }

    /** Grids and strides have limits of their own, which a tensor within its may exceed. */
    private static void lowerWithin(KernelStepBinding step, Runnable lower) {
        KernelLimit.guard(
                step.architecture().label(), step.step().name(), step.step().location(), () -> {
                    lower.run();
                    return step;
                });
    }

    private static void lowerWithin(StepGroup group) {
        lowerWithin(group.first(), group::lower);
    }

    private static void lower(KernelStepBinding step) {
        switch (step.op()) {
            case Elementwise _ -> ElementwiseKernels.lower(step);
            case Reduce op -> ReduceKernels.lower(op, step);
            case SumOfSquares op -> TensorListKernels.sumOfSquares(op, step);
            case AllFinite _ -> TensorListKernels.allFinite(step);
            case MatMul op -> MatMulKernels.lower(op, step);
            case Conv2d op -> ConvolutionKernels.forward(op, step);
            case ConvTranspose2d op -> ConvolutionKernels.transposed(op, step);
            case Conv2dWeightGradient op -> ConvolutionKernels.weightGradient(op, step);
            case MaxPool2d op -> PoolingKernels.max(op, step);
            case MaxPool2dGradient op -> PoolingKernels.maxGradient(op, step);
            case AvgPool2d op -> PoolingKernels.mean(op, step);
            case AvgPool2dGradient op -> PoolingKernels.meanGradient(op, step);
            case NormStatistics op -> NormalizationKernels.statistics(op, step);
            case NormalizeGradient op -> NormalizationKernels.gradient(op, step);
            case Softmax op -> SoftmaxKernels.lower(op.logarithm(), step);
            case Sort op -> RowOrderKernels.sort(op, step);
            case CumulativeSum op -> RowOrderKernels.cumulativeSum(op, step);
            case CrossEntropy op -> CrossEntropyKernels.forward(op, step);
            case CrossEntropyGradient op -> CrossEntropyKernels.gradient(op, step);
            case CtcLoss op -> CtcKernels.forward(op, step);
            case CtcLossGradient op -> CtcKernels.gradient(op, step);
            case Attention op -> AttentionKernels.forward(op, step);
            case AttentionGradient op -> AttentionKernels.gradient(op, step);
            case AttentionBiasGradient op -> AttentionBiasKernels.gradient(op, step);
            case Embedding _ -> EmbeddingKernels.forward(step);
            case EmbeddingGradient op -> EmbeddingKernels.gradient(op, step);
            case Gather op -> GatherKernels.gather(op, step);
            case ScatterAdd op -> GatherKernels.scatterAdd(op, step);
            case Concat op -> CopyKernels.concat(op, step);
            case Pad op -> CopyKernels.pad(op, step);
            case LearningRate op -> UpdateKernels.learningRate(op, step);
            case Update _ -> throw new IllegalStateException("updates are lowered in groups");
            case ResetSeed _, StepSeed _, View _ ->
                throw new IllegalStateException(step.op().mnemonic() + " has no kernel");
        }
    }
}
