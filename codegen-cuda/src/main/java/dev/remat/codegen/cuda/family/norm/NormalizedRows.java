package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;

/** Elementwise steps behind statistics of rows that normalize these rows. */
final class NormalizedRows {
    private NormalizedRows() {}

    /** Whether {@code step} normalizes what {@code statistics}, a step of {@code op}, has read by what it gives. */
    static boolean normalizes(KernelStepBinding step, KernelStepBinding statistics, NormStatistics op) {
        return step.op() instanceof Elementwise
                && step.step().writes().stream()
                        .allMatch(write -> write.type().dtype() != DType.BIT
                                && write.type()
                                        .shape()
                                        .equals(statistics.operandType(0).shape()))
                && step.step().body().instructions().stream()
                        .anyMatch(instruction -> instruction.op() instanceof Normalize normalize
                                && normalizes(step.step(), normalize, instruction, statistics, op));
    }

    private static boolean normalizes(
            KernelStep step,
            Normalize normalize,
            Instruction instruction,
            KernelStepBinding statistics,
            NormStatistics op) {
        int variance = normalize.varianceIndex();
        return normalize.axes().equals(op.axes())
                && normalize.centered() == op.centered()
                && instruction.operands().getFirst() instanceof Operand.FromMemory x
                && step.read(x.index()).address() == statistics.read(0).address()
                && step.read(x.index()).view().equals(statistics.read(0).view())
                && (!op.centered() || reads(step, instruction.operands().get(1), statistics, 0))
                && reads(step, instruction.operands().get(variance), statistics, variance - 1);
    }

    /** Whether an operand is what the first step writes as its result {@code result}. */
    private static boolean reads(KernelStep step, Operand operand, KernelStepBinding statistics, int result) {
        if (!(operand instanceof Operand.FromMemory memory)) {
            return false;
        }
        MemoryRead read = step.read(memory.index());
        long address = statistics.resultAddress(result);
        return address != ParameterType.NULL && read.address() == address;
    }
}
