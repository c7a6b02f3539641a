package dev.remat.compiler.memory;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.PlanViolationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Proves that nothing reads dead memory: runs a plan over an arena in which every byte remembers the tensor that it
 * holds. Knows the plan alone, and nothing of how lifetimes and offsets were found.
 *
 * <p>Every read must find the tensor that it expects in each byte of its buffer; writes, workspaces and the end of a
 * lifetime replace what was there. When the step is over, outputs must still be there, and every parameter, state and
 * accumulator must hold what it held or what its updates made of it, so that the next step or micro-batch can begin.
 */
public final class ArenaChecker {
    /** A tensor where the plan has put it, and the step that computes it; -1 for inputs. */
    private record Stored(String name, ByteRange range, int step) {}

    private final ExecutionPlan plan;
    private final long alignment;
    private final TaggedBytes bytes = new TaggedBytes();
    private final Map<Integer, Stored> tensors = new LinkedHashMap<>();
    /** For each parameter, state and accumulator: the tensor that must be in its place when the step is over. */
    private final Map<Integer, Integer> content = new LinkedHashMap<>();
    /** For each result of an update: the parameter, state or accumulator that it is the new content of. */
    private final Map<Integer, Integer> updated = new LinkedHashMap<>();

    private int at = -1;

    private ArenaChecker(ExecutionPlan plan, long alignment) {
        this.plan = plan;
        this.alignment = alignment;
    }

    /**
     * Checks a plan whose ranges are aligned to their elements at least.
     *
     * @throws PlanViolationException at the first violation
     */
    public static void check(ExecutionPlan plan) {
        check(plan, 1);
    }

    /**
     * @param alignment in bytes of every buffer and workspace
     * @throws PlanViolationException at the first violation
     */
    public static void check(ExecutionPlan plan, long alignment) {
        new ArenaChecker(plan, alignment).run();
    }

    private void run() {
        for (ArenaTensor input : plan.inputs()) {
            ByteRange range = new ByteRange(input.offset(), input.type().bytes());
            requireAligned(input.name(), range, input.type().dtype().bytes());
            store(input.value(), input.name(), range);
            if (input.kind().isUpdated()) {
                content.put(input.value(), input.value());
            }
        }
        for (ArenaTensor input : plan.inputs()) {
            requireHeld(input.value(), tensors.get(input.value()).range(), "is an input");
        }
        for (at = 0; at < plan.steps().size(); at++) {
            run(plan.steps().get(at));
        }
        at = -1;
        plan.outputs().forEach(this::requireOutput);
        content.forEach(this::requireContent);
    }

    private void run(KernelStep step) {
        List<ByteRange> reads = new ArrayList<>();
        for (MemoryRead read : step.reads()) {
            reads.add(read(read));
        }
        List<ByteRange> writes = new ArrayList<>();
        for (MemoryWrite write : step.writes()) {
            ByteRange range = new ByteRange(write.offset(), write.bytes());
            requireAligned(write.name(), range, write.type().dtype().bytes());
            writes.add(range);
        }
        requireAligned("workspace", step.workspace(), 1);
        KernelStepChecker.verify(at, step, reads, writes);
        bytes.erase(step.workspace());
        Set<Integer> stored = new LinkedHashSet<>();
        for (int w = 0; w < writes.size(); w++) {
            MemoryWrite write = step.writes().get(w);
            if (stored.add(write.value())) {
                store(write.value(), write.name(), writes.get(w));
            }
            KernelStepChecker.updated(step, write).ifPresent(operand -> update(write, operand));
        }
        for (ByteRange freed : step.freed()) {
            requireInArena("freed range", freed);
            bytes.erase(freed);
        }
    }

    private ByteRange read(MemoryRead read) {
        ByteRange range = new ByteRange(read.offset(), read.bytes());
        Stored stored = tensors.get(read.value());
        if (stored == null) {
            throw violation("%" + read.value(), range, "is read before it is computed");
        }
        if (!stored.range().equals(range)) {
            throw violation(
                    stored.name(),
                    range,
                    "is read where it never was: it lies in bytes [%d, %d)"
                            .formatted(stored.range().offset(), stored.range().end()));
        }
        requireHeld(read.value(), range, "is read");
        long last = read.view().offset();
        boolean empty = read.view().elements() == 0;
        for (int axis = 0; axis < read.view().rank(); axis++) {
            last += (read.view().extents().get(axis) - 1)
                    * read.view().strides().get(axis);
        }
        if (!empty
                && (read.view().offset() < 0
                        || last < 0
                        || (last + 1) * read.dtype().bytes() > read.bytes())) {
            throw violation(stored.name(), range, "is read past its end");
        }
        return range;
    }

    private void store(int value, String name, ByteRange range) {
        Stored before = tensors.put(value, new Stored(name, range, at));
        if (before != null) {
            throw violation(name, range, "has the id of '" + before.name() + "', which was computed before");
        }
        bytes.tag(range, value);
    }

    private void update(MemoryWrite write, MemoryRead operand) {
        ByteRange range = tensors.get(operand.value()).range();
        int input = updated.getOrDefault(operand.value(), operand.value());
        if (!content.containsKey(input) || content.put(input, write.value()) != operand.value()) {
            throw violation(
                    write.name(),
                    range,
                    "updates what no parameter, state or accumulator holds, or what was updated before");
        }
        updated.put(write.value(), input);
        if (write.offset() != range.offset() || write.bytes() != range.bytes()) {
            throw violation(write.name(), range, "is updated at another place");
        }
    }

    private void requireOutput(PlanOutput output) {
        ByteRange range = new ByteRange(output.offset(), output.type().bytes());
        requireInArena(output.name(), range);
        Stored stored = tensors.get(output.value());
        if (stored == null || stored.step() != output.readyAfter()) {
            throw violation(
                    output.name(), range, "is an output that step " + output.readyAfter() + " does not compute");
        }
        requireHeld(output.value(), range, "is an output");
    }

    private void requireContent(int input, int expected) {
        ByteRange range = tensors.get(input).range();
        if (!bytes.hold(range, expected)) {
            throw violation(
                    tensors.get(input).name(), range, "is not there for what runs next" + holder(range, expected));
        }
    }

    private void requireHeld(int value, ByteRange range, String use) {
        if (!bytes.hold(range, value)) {
            throw violation(tensors.get(value).name(), range, use + " but is no longer there" + holder(range, value));
        }
    }

    private String holder(ByteRange range, int value) {
        OptionalInt intruder = bytes.intruder(range, value);
        return intruder.isPresent() ? "; '" + tensors.get(intruder.getAsInt()).name() + "' is" : "";
    }

    private void requireAligned(String tensor, ByteRange range, long element) {
        requireInArena(tensor, range);
        if (range.bytes() > 0 && range.offset() % Math.max(alignment, element) != 0) {
            throw violation(tensor, range, "does not begin at a multiple of " + Math.max(alignment, element));
        }
    }

    private void requireInArena(String tensor, ByteRange range) {
        if (range.end() > plan.arenaBytes()) {
            throw violation(tensor, range, "leaves the arena of " + plan.arenaBytes() + " bytes");
        }
    }

    private PlanViolationException violation(String tensor, ByteRange range, String problem) {
        String where =
                at < 0 ? "plan" : KernelStepChecker.describe(at, plan.steps().get(at));
        return new PlanViolationException(at, where, tensor, range, problem);
    }
}
