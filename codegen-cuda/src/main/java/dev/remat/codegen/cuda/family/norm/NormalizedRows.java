package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.StepGroup;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import java.util.Optional;

/**
 * Statistics of rows and the elementwise step behind them that normalizes these rows, in one launch that reads them
 * once. Each is computed as it would be alone, so that a plan which keeps the statistics and normalizes again has the
 * same bits.
 *
 * @param normalizing the step behind, if it does
 */
public record NormalizedRows(KernelStepBinding statistics, Optional<KernelStepBinding> normalizing)
        implements StepGroup {
    public static NormalizedRows of(KernelStepBinding statistics) {
        return new NormalizedRows(statistics, Optional.empty());
    }

    /** Whether a step makes statistics of rows that threads hold. */
    public static boolean mayHold(KernelStepBinding step) {
        return step.op() instanceof NormStatistics op && NormalizationKernels.isHeld(op, step.operandType(0));
    }

    @Override
    public KernelStepBinding first() {
        return statistics;
    }

    @Override
    public Optional<StepGroup> with(KernelStepBinding step) {
        boolean fits = normalizing.isEmpty()
                && step.op() instanceof Elementwise
                && step.step().writes().stream()
                        .allMatch(write -> write.type().dtype() != DType.BIT
                                && write.type()
                                        .shape()
                                        .equals(statistics.operandType(0).shape()))
                && step.step().body().instructions().stream()
                        .anyMatch(instruction -> instruction.op() instanceof Normalize normalize
                                && normalizes(step.step(), normalize, instruction));
        return fits ? Optional.of(new NormalizedRows(statistics, Optional.of(step))) : Optional.empty();
    }

    private boolean normalizes(KernelStep step, Normalize normalize, Instruction instruction) {
        NormStatistics op = (NormStatistics) statistics.op();
        int variance = normalize.varianceIndex();
        return normalize.axes().equals(op.axes())
                && normalize.centered() == op.centered()
                && instruction.operands().getFirst() instanceof Operand.FromMemory x
                && step.read(x.index()).address() == statistics.read(0).address()
                && step.read(x.index()).view().equals(statistics.read(0).view())
                && (!op.centered() || reads(step, instruction, 1, 0))
                && reads(step, instruction, variance, variance - 1);
    }

    /** Whether an operand is what the first step writes as its result {@code result}. */
    private boolean reads(KernelStep step, Instruction instruction, int operand, int result) {
        if (!(instruction.operands().get(operand) instanceof Operand.FromMemory memory)) {
            return false;
        }
        MemoryRead read = step.read(memory.index());
        long address = statistics.resultAddress(result);
        return address != ParameterType.NULL && read.address() == address;
    }

    @Override
    public void lower() {
        NormStatistics op = (NormStatistics) statistics.op();
        if (normalizing.isEmpty()) {
            NormalizationKernels.statistics(op, statistics);
            return;
        }
        KernelCall call = new KernelCall(
                NormalizationKernels.FAMILY,
                "rows_" + statistics.operandType(0).dtype().label(),
                "normalized_rows.cuh");
        String rows = NormalizationKernels.rows(op, statistics, call);
        String body = ElementwiseBody.whole(normalizing.get()).declare(call);
        call.body("normalize_rows<" + NormalizationKernels.template(op, statistics) + ">(" + rows + ", " + body + ");");
        NormalizationKernels.launchRows(op, statistics, call);
    }
}
