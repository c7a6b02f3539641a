package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.Contiguous;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.InputSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Brings batches into the arena. */
public final class InputFeed {
    private record Feed(InputSpec spec, long offset, MemorySegment staging) {}

    private final Executable executable;
    private final BatchSource batches;
    private final List<Feed> feeds;
    private final MemorySegment number;

    /** Staging memory is allocated here, once. */
    public InputFeed(Executable executable, BatchSource batches) {
        this.executable = executable;
        this.batches = batches;
        Arena arena = Arena.ofAuto();
        this.feeds = specs(executable.plan()).stream()
                .map(spec -> new Feed(
                        spec,
                        executable.plan().input(spec.name()).offset(),
                        arena.allocate(spec.elements() * spec.dtype().bytes(), Long.BYTES)))
                .toList();
        this.number = arena.allocate(ValueLayout.JAVA_LONG);
    }

    /** The data that a plan asks for, integers with the bounds that its look-ups set. */
    public static List<InputSpec> specs(ExecutionPlan plan) {
        return plan.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .map(input -> spec(plan, input))
                .toList();
    }

    private static InputSpec spec(ExecutionPlan plan, ArenaTensor input) {
        List<Look> looks = input.type().dtype().isInteger() ? looks(plan, input.value()) : List.of();
        List<OptionalLong> ignored =
                looks.stream().map(Look::ignored).distinct().toList();
        return new InputSpec(
                input.name(),
                input.type().dtype(),
                Arrays.stream(input.type().shape().toArray()).boxed().toList(),
                looks.stream().mapToLong(Look::rows).min().orElse(0),
                ignored.size() == 1 ? ignored.getFirst() : OptionalLong.empty());
    }

    /** A use of integers to pick from {@code rows} rows. */
    private record Look(long rows, OptionalLong ignored) {}

    /** Uses of a value, or of a copy of some of it. */
    private static List<Look> looks(ExecutionPlan plan, int value) {
        List<Look> looks = new ArrayList<>();
        Set<Integer> copies = new HashSet<>(List.of(value));
        for (KernelStep step : plan.steps()) {
            Set<Integer> inside = new HashSet<>();
            List<Instruction> body = step.body().instructions();
            for (int i = 0; i < body.size(); i++) {
                Instruction instruction = body.get(i);
                List<Operand> operands = instruction.operands();
                if (operands.size() > 1 && isCopy(step, operands.get(1), copies, inside)) {
                    instruction
                            .op()
                            .indexedExtent(step.body().operandTypes(instruction))
                            .ifPresent(rows ->
                                    looks.add(new Look(rows, instruction.op().ignoredIndex())));
                }
                if (instruction.op() instanceof Contiguous && isCopy(step, operands.getFirst(), copies, inside)) {
                    inside.add(i);
                }
            }
            for (MemoryWrite write : step.writes()) {
                if (inside.contains(write.instruction())) {
                    copies.add(write.value());
                }
            }
        }
        return looks;
    }

    /**
     * @param values that hold a copy
     * @param instructions of the step that make one
     */
    private static boolean isCopy(KernelStep step, Operand operand, Set<Integer> values, Set<Integer> instructions) {
        return switch (operand) {
            case Operand.FromMemory(int read) -> values.contains(step.read(read).value());
            case Operand.FromInstruction(int instruction, int _) -> instructions.contains(instruction);
            case Operand.FromSeed _ -> false;
        };
    }

    /** Where a mapped file has lost what is read, the virtual machine throws an error of its own. */
    private void fill(long batch, Feed feed) {
        try {
            batches.fill(batch, feed.spec(), feed.staging());
        } catch (InternalError e) {
            throw new DataException("the data for " + feed.spec().name()
                    + " can no longer be read: its file was cut short, or its disk failed");
        }
    }

    /**
     * Brings batch {@code batch} (from 0) and the numbers of training step {@code step} (from 1), of a plan that is
     * not cut into micro-batches.
     *
     * @throws DataException if the data cannot be read or does not fit
     */
    public void feed(long batch, long step) {
        feed(batch, step, 0);
    }

    /**
     * The same for a micro-batch.
     *
     * @param rows number of the micro-batch among all of all steps, from 0
     * @param microBatch within its step, from 0
     */
    public void feed(long rows, long step, int microBatch) {
        for (Feed feed : feeds) {
            fill(rows, feed);
            executable.write(feed.offset(), feed.staging());
        }
        number(executable, number, step, microBatch);
    }

    /** Brings the numbers of a step alone. */
    static void number(Executable executable, MemorySegment staging, long step, int microBatch) {
        executable.plan().stepInputs(step, microBatch).forEach((offset, value) -> {
            staging.set(ValueLayout.JAVA_LONG, 0, value);
            executable.write(offset, staging);
        });
    }
}
