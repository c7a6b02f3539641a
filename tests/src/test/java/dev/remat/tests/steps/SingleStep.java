package dev.remat.tests.steps;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Update;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.Executable;
import dev.remat.tests.reference.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A plan of one step. Its buffers lie apart, with bytes before, between and after them that nobody may touch.
 *
 * @param sample what the step computes
 * @param guards whole pages behind each buffer, if it was asked for them
 */
public record SingleStep(StepSample sample, ExecutionPlan plan, List<ByteRange> guards) {
    /** Key of the random draws. */
    public static final long SEED = 5;
    /** Number of the training step. */
    public static final long NUMBER = 3;

    /** Number of the micro-batch. */
    public static final int MICRO_BATCH = 1;

    /** Of a page of memory. */
    public static final long PAGE = 4096;

    /** Id of the value of the first buffer that is written. */
    private static final int FIRST_RESULT = 100;

    private static final long GUARD = 256;
    /** What a kernel reads at once, at most. */
    private static final long PACK = 16;

    public static SingleStep of(StepSample sample, TargetModel target) {
        return new Layout(sample, false).plan(target);
    }

    /**
     * Each buffer begins at a multiple of 16 bytes and ends, but for what that leaves over, before a guard page. What
     * may be computed in the place of an operand is.
     */
    public static SingleStep beforePages(StepSample sample, TargetModel target) {
        return new Layout(sample, true).plan(target);
    }

    public KernelStep step() {
        return plan.steps().getFirst();
    }

    /** Puts the operands and the numbers of the step into the arena. */
    public void load(MemorySegment arena) {
        load(arena, MICRO_BATCH);
    }

    /** The same of another micro-batch. */
    public void load(MemorySegment arena, int microBatch) {
        for (int i = 0; i < sample.sources().size(); i++) {
            TensorBytes.encode(
                    sample.sources().get(i).buffer(),
                    arena,
                    step().reads().get(i).offset());
        }
        plan.stepInputs(NUMBER, microBatch).forEach((offset, value) -> arena.set(ValueLayout.JAVA_LONG, offset, value));
    }

    /** Runs the step on what its plan is loaded into; all memory around its operands holds NaN. */
    public List<Tensor> run(Executable executable) {
        return run(executable, MICRO_BATCH);
    }

    /** The same of another micro-batch. */
    public List<Tensor> run(Executable executable, int microBatch) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment image = scratch.allocate(plan.arenaBytes(), 64).fill((byte) 0xFF);
            load(image, microBatch);
            executable.write(0, image);
            executable.run(NUMBER, microBatch, 0, plan.steps().size());
            return results(executable.read(0, plan.arenaBytes()));
        }
    }

    /** The stored results. */
    public List<Tensor> results(MemorySegment arena) {
        return step().writes().stream()
                .map(write -> {
                    DType dtype = write.type().dtype();
                    TensorType buffer = TensorType.of(dtype, dtype.elementsIn(write.bytes()));
                    Tensor content = TensorBytes.decode(buffer, arena, write.offset());
                    return new StepSample.Source(content, write.view()).tensor();
                })
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
        private final boolean pages;
        private final SequentialArena arena;
        private final List<ByteRange> guards = new ArrayList<>();

        Layout(StepSample sample, boolean pages) {
            this.sample = sample;
            this.pages = pages;
            arena = new SequentialArena(pages ? PAGE : GUARD);
            arena.place(GUARD);
        }

        private long reserve(long bytes) {
            long at = arena.place(bytes);
            if (!pages) {
                arena.place(GUARD);
                return at;
            }
            ByteRange guard = arena.range(PAGE);
            guards.add(guard);
            return guard.offset() - Alignment.up(bytes, PACK);
        }

        SingleStep plan(TargetModel target) {
            KernelStepBuilder step = new KernelStepBuilder("step", Role.FORWARD, Location.NONE);
            sample.body().forEach(step::add);
            List<MemoryRead> reads = new ArrayList<>();
            for (StepSample.Source source : sample.sources()) {
                TensorType type = source.buffer().type();
                reads.add(
                        new MemoryRead(reads.size(), reserve(type.bytes()), type.bytes(), type.dtype(), source.view()));
            }
            reads.forEach(step::read);
            Map<Integer, Long> offsets = new LinkedHashMap<>();
            for (int w = 0; w < sample.written().size(); w++) {
                Operand.FromInstruction written = sample.written().get(w);
                StepSample.Place place = sample.places().get(w);
                TensorType type = sample.type(written);
                long bytes = type.dtype().bytesOf(place.elements());
                long offset = offsets.computeIfAbsent(place.buffer(), _ -> offset(written, bytes, reads));
                step.write(new MemoryWrite(
                        FIRST_RESULT + place.buffer(),
                        "result",
                        offset,
                        bytes,
                        type,
                        place.view(),
                        written.instruction(),
                        written.result()));
            }
            long workspace = target.workspaceBytes(step.body());
            step.workspace(new ByteRange(reserve(workspace), workspace));
            ArenaTensor number = ArenaTensor.ofStep(98, InputKind.STEP, reserve(Long.BYTES));
            ArenaTensor seed = ArenaTensor.ofStep(99, InputKind.SEED, reserve(Long.BYTES));
            ArenaTensor microBatch = ArenaTensor.ofStep(97, InputKind.MICRO_BATCH, reserve(Long.BYTES));
            return new SingleStep(
                    sample,
                    new ExecutionPlan(
                            "test",
                            "",
                            target.name(),
                            SEED,
                            arena.bytes(),
                            List.of(number, seed, microBatch),
                            List.of(step.build()),
                            List.of()),
                    guards);
        }

        /** An update overwrites its operand, and what may take the place of one does where there are pages. */
        private long offset(Operand.FromInstruction written, long bytes, List<MemoryRead> reads) {
            Instruction instruction = sample.body().get(written.instruction());
            if (instruction.op() instanceof Update update) {
                for (Update.Write write : update.writes()) {
                    if (write.result() == written.result()
                            && instruction.operands().get(write.operand()) instanceof Operand.FromMemory memory) {
                        return reads.get(memory.index()).offset();
                    }
                }
            }
            OptionalInt taken =
                    instruction.op().computesInPlaceOf(instruction.operands().size());
            if (pages
                    && taken.isPresent()
                    && instruction.operands().get(taken.getAsInt()) instanceof Operand.FromMemory memory) {
                return reads.get(memory.index()).offset();
            }
            return reserve(bytes);
        }
    }
}
