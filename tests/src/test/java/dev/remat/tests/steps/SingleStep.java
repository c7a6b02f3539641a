package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.InputKind;
import dev.remat.ir.Role;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Update;
import dev.remat.ir.target.TargetModel;
import dev.remat.tests.reference.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan of one step. Its buffers lie apart, with bytes before, between and behind them that nobody may touch.
 *
 * @param sample what the step computes
 */
public record SingleStep(StepSample sample, ExecutionPlan plan) {
    /** Key of the random draws. */
    public static final long SEED = 5;
    /** Number of the training step. */
    public static final long NUMBER = 3;

    private static final long GUARD = 256;

    public static SingleStep of(StepSample sample, TargetModel target) {
        return new Layout(sample).plan(target);
    }

    public Step step() {
        return plan.steps().getFirst();
    }

    /** Puts the operands and the step's number into the arena. */
    public void load(MemorySegment arena) {
        for (int i = 0; i < sample.sources().size(); i++) {
            TensorBytes.encode(
                    sample.sources().get(i).buffer(),
                    arena,
                    step().reads().get(i).offset());
        }
        arena.set(ValueLayout.JAVA_LONG, plan.inputs().getFirst().offset(), NUMBER);
    }

    /** The stored results. */
    public List<Tensor> results(MemorySegment arena) {
        return step().writes().stream()
                .map(write -> TensorBytes.decode(write.type(), arena, write.offset()))
                .toList();
    }

    /** Where the step may write. */
    public List<ByteRange> writable() {
        List<ByteRange> ranges = new ArrayList<>(List.of(step().workspace()));
        step().writes().forEach(write -> ranges.add(new ByteRange(write.offset(), write.bytes())));
        return ranges;
    }

    /** Gives every buffer a place. */
    private static final class Layout {
        private final StepSample sample;
        private final List<MemoryRead> reads = new ArrayList<>();
        private final List<MemoryWrite> writes = new ArrayList<>();
        private long end = GUARD;

        Layout(StepSample sample) {
            this.sample = sample;
        }

        private long reserve(long bytes) {
            long at = end;
            end += (bytes + 255 & ~255L) + GUARD;
            return at;
        }

        SingleStep plan(TargetModel target) {
            for (StepSample.Source source : sample.sources()) {
                TensorType type = source.buffer().type();
                long at = reserve(type.bytes());
                reads.add(new MemoryRead(reads.size(), at, type.bytes(), type.dtype(), source.view()));
            }
            for (Operand.FromInstruction written : sample.written()) {
                TensorType type = sample.type(written);
                writes.add(new MemoryWrite(
                        100 + writes.size(),
                        "result",
                        place(written, type),
                        type,
                        written.instruction(),
                        written.result()));
            }
            long workspaceBytes = sample.body().stream()
                    .mapToLong(instruction -> workspace(instruction, target))
                    .max()
                    .orElse(0);
            ByteRange workspace = new ByteRange(reserve(workspaceBytes), workspaceBytes);
            ArenaTensor number = new ArenaTensor(
                    99,
                    "step",
                    TensorType.scalar(DType.I64),
                    InputKind.STEP,
                    Initializer.ONES,
                    reserve(Long.BYTES),
                    Location.NONE);
            Step step = new Step(
                    "step", Role.FORWARD, Location.NONE, false, sample.body(), reads, writes, workspace, List.of());
            return new SingleStep(
                    sample,
                    new ExecutionPlan("test", "", target.name(), SEED, end, List.of(number), List.of(step), List.of()));
        }

        private long workspace(Instruction instruction, TargetModel target) {
            List<TensorType> operands = instruction.operands().stream()
                    .map(operand -> switch (operand) {
                        case Operand.FromMemory memory ->
                            reads.get(memory.index()).type();
                        case Operand.FromInstruction local -> sample.type(local);
                        case Operand.FromSeed _ -> TensorType.SEED;
                    })
                    .toList();
            return target.workspaceBytes(instruction.op(), operands, instruction.types());
        }

        /** An update overwrites its operand. */
        private long place(Operand.FromInstruction written, TensorType type) {
            Instruction instruction = sample.body().get(written.instruction());
            if (instruction.op() instanceof Update update) {
                for (Update.Write write : update.writes()) {
                    if (write.result() == written.result()
                            && instruction.operands().get(write.operand()) instanceof Operand.FromMemory memory) {
                        return reads.get(memory.index()).offset();
                    }
                }
            }
            return reserve(type.bytes());
        }
    }
}
