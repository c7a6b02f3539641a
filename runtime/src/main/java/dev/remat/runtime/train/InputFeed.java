package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.InputSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

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

    private static List<Look> looks(ExecutionPlan plan, int value) {
        List<Look> looks = new ArrayList<>();
        for (KernelStep step : plan.steps()) {
            for (Instruction instruction : step.body().instructions()) {
                if (instruction.operands().size() > 1
                        && reads(step, instruction.operands().get(1), value)) {
                    instruction
                            .op()
                            .indexedExtent(step.body().operandTypes(instruction))
                            .ifPresent(rows ->
                                    looks.add(new Look(rows, instruction.op().ignoredIndex())));
                }
            }
        }
        return looks;
    }

    private static boolean reads(KernelStep step, Operand operand, int value) {
        return operand instanceof Operand.FromMemory memory
                && step.read(memory.index()).value() == value;
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
     * Brings batch {@code batch} (from 0) and the numbers of training step {@code step} (from 1).
     *
     * @throws DataException if the data cannot be read or does not fit
     */
    public void feed(long batch, long step) {
        for (Feed feed : feeds) {
            fill(batch, feed);
            executable.write(feed.offset(), feed.staging());
        }
        executable.plan().stepInputs(step, 0).forEach((offset, value) -> {
            number.set(ValueLayout.JAVA_LONG, 0, value);
            executable.write(offset, number);
        });
    }
}
