package dev.remat.runtime.executor;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Reduce;
import dev.remat.runtime.cpu.Eltwise;
import dev.remat.runtime.cpu.EltwiseProgram;
import dev.remat.runtime.cpu.ReduceKernel;
import java.util.ArrayList;
import java.util.List;

/** Resolves a step to a kernel: fused elementwise, fused reduction, or an anchor with perhaps an epilogue. */
final class StepCompiler {
    private static final int NO_ANCHOR = -1;

    private final Step step;

    private StepCompiler(Step step) {
        this.step = step;
    }

    static Kernel compile(Step step) {
        return new StepCompiler(step).compile();
    }

    private Kernel compile() {
        int anchor = anchor();
        if (anchor == NO_ANCHOR) {
            return elementwise(NO_ANCHOR, 0);
        }
        Instruction instruction = step.body().get(anchor);
        if (instruction.op() instanceof Reduce reduce) {
            return reduction(reduce, instruction);
        }
        return anchored(anchor, instruction);
    }

    private int anchor() {
        for (int i = 0; i < step.body().size(); i++) {
            if (!(step.body().get(i).op() instanceof Elementwise)) {
                return i;
            }
        }
        return NO_ANCHOR;
    }

    private Kernel elementwise(int anchor, long anchorOffset) {
        TensorType box = step.writes().getFirst().type();
        FusedProgram fused = new FusedProgram(step, anchor, box);
        fused.translate(anchorOffset);
        List<Integer> outputs = new ArrayList<>();
        List<long[]> outputStrides = new ArrayList<>();
        for (MemoryWrite write : step.writes()) {
            outputs.add(fused.value(write.instruction()));
            outputStrides.add(Eltwise.denseStrides(fused.box()));
        }
        EltwiseProgram program = fused.program(outputs);
        Eltwise eltwise = new Eltwise(program, fused.box(), fused.strides(), outputStrides);
        long[] inputs = fused.offsets();
        long[] targets = step.writes().stream().mapToLong(MemoryWrite::offset).toArray();
        return (pool, arena, draws) -> eltwise.run(pool, arena, inputs, targets, draws);
    }

    private Kernel reduction(Reduce reduce, Instruction instruction) {
        TensorType box = operandType(instruction);
        FusedProgram fused = new FusedProgram(step, NO_ANCHOR, box);
        fused.addInput(instruction, 0);
        fused.translate(0);
        EltwiseProgram program = fused.program(List.of(fused.valueOf(instruction, 0)));
        boolean[] reduced = Extents.reduced(reduce.axes(), box.rank());
        ReduceKernel.Kind kind = switch (reduce.kind()) {
            case SUM -> ReduceKernel.Kind.SUM;
            case MEAN -> ReduceKernel.Kind.MEAN;
            case MAX -> ReduceKernel.Kind.MAX;
        };
        ReduceKernel kernel = new ReduceKernel(kind, program, fused.box(), reduced, fused.strides());
        long[] inputs = fused.offsets();
        long output = step.writes().getFirst().offset();
        long workspace = step.workspace().offset();
        return (pool, arena, draws) -> kernel.run(pool, arena, inputs, output, workspace, draws);
    }

    private TensorType operandType(Instruction instruction) {
        return switch (instruction.operands().getFirst()) {
            case Operand.FromInstruction i -> step.body().get(i.instruction()).types().get(i.result());
            case Operand.FromMemory m -> step.reads().get(m.index()).type();
            case Operand.FromSeed s -> TensorType.SEED;
        };
    }

    /** The anchor computes into the place of the only write, and the epilogue goes on from there. */
    private Kernel anchored(int anchor, Instruction instruction) {
        boolean epilogue = step.body().size() > 1;
        AnchorOperands operands = new AnchorOperands(step, instruction, epilogue);
        Kernel first = AnchorKernels.of(instruction.op(), operands);
        if (!epilogue) {
            return first;
        }
        Kernel second = elementwise(anchor, step.writes().getFirst().offset());
        return (pool, arena, draws) -> {
            first.run(pool, arena, draws);
            second.run(pool, arena, draws);
        };
    }
}
