package dev.remat.compiler.memory;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.op.OwnShare;
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
 * accumulator must hold what it held or what its updates made of it, so that the next step or micro-batch can begin;
 * those that live below the arena must do so in their homes.
 *
 * <p>A section that is repeated runs twice. Between two rounds, and between sections, what was updated becomes the
 * content of its input, so that the second round begins with the tags of the first, and with it every later one.
 * Accumulators hold nothing until the first round has updated them, which alone may find them so; parameters and states
 * are updated where nothing is repeated.
 */
public final class ArenaChecker {
    /** A tensor where the plan has put it, and the step that computes it; -1 for inputs. */
    private record Stored(String name, ByteRange range, int step) {}

    private final ExecutionPlan plan;
    private final long alignment;
    private final TaggedBytes bytes = new TaggedBytes();
    /** The same of every place below the arena. */
    private final List<TaggedBytes> below = new ArrayList<>();

    private final List<Transfer> transfers;
    private final Map<Integer, Stored> tensors = new LinkedHashMap<>();
    /** For each parameter, state and accumulator: the tensor that must be in its place when the step is over. */
    private final Map<Integer, Integer> content = new LinkedHashMap<>();
    /** For each result of an update: the input that it is the new content of. */
    private final Map<Integer, Integer> updated = new LinkedHashMap<>();
    /** Accumulators that hold nothing yet. */
    private final Set<Integer> undefined = new LinkedHashSet<>();
    /** Parameters and states, which are updated once a step. */
    private final Set<Integer> persistent = new LinkedHashSet<>();

    /** Shares that have been taken of parameters, and not updated yet. */
    private final Set<Integer> shares = new LinkedHashSet<>();

    /** Place of each parameter and state that lives below the arena. */
    private final Map<Integer, TaggedBytes> homes = new LinkedHashMap<>();
    /** For what was fetched from a home: the tensor that it is a copy of. */
    private final Map<Integer, Integer> fetched = new LinkedHashMap<>();

    private int at = -1;
    /** Whether a section is run again, which computes what it has computed before. */
    private boolean again;

    private ArenaChecker(ExecutionPlan plan, long alignment) {
        this.plan = plan;
        this.alignment = alignment;
        this.transfers = plan.transfers().all();
        plan.transfers().places().forEach(_ -> below.add(new TaggedBytes()));
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
            if (input.isInArena()) {
                requireAligned(input.name(), input.range(), input.type().dtype().bytes());
                store(input.value(), input.name(), input.range());
            } else {
                homes.put(input.value(), below.get(input.place()));
                requireInPlace(input.name(), input.range(), input.place());
                storeBelow(input);
            }
            if (input.kind().isUpdated()) {
                content.put(input.value(), input.value());
                (input.kind().isPersistent() ? persistent : undefined).add(input.value());
            }
        }
        for (ArenaTensor input : plan.inputs()) {
            requireThere(input.value(), input.value(), "is an input");
        }
        List<TransferEvent> events = plan.transfers().events();
        int passed = 0;
        for (Section section : plan.sections()) {
            int first = passed;
            for (int round = 0; round < Math.min(section.times(), 2); round++) {
                endRound();
                again = round > 0;
                passed = first;
                for (at = section.from(); at < section.to(); at++) {
                    while (passed < events.size() && events.get(passed).before() <= at) {
                        run(events.get(passed++));
                    }
                    run(plan.steps().get(at), section);
                }
                at = -1;
            }
        }
        events.subList(passed, events.size()).forEach(this::run);
        plan.outputs().forEach(this::requireOutput);
        content.forEach((input, holder) -> requireThere(input, holder, "is needed by what runs next"));
    }

    /** What was updated is the content of its input from here on. */
    private void endRound() {
        content.replaceAll((input, holder) -> {
            requireThere(input, holder, "is to be kept for what follows");
            homes.getOrDefault(input, bytes).tag(tensors.get(input).range(), input);
            return input;
        });
    }

    private void run(KernelStep step, Section section) {
        List<ByteRange> reads = new ArrayList<>();
        for (MemoryRead read : step.reads()) {
            reads.add(read(read));
        }
        requireDefined(step);
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
            if (step.body().instructions().get(write.instruction()).op() instanceof OwnShare) {
                shares.add(write.value());
            }
            KernelStepChecker.updated(step, write).ifPresent(operand -> update(write, operand, section));
        }
        for (ByteRange freed : step.freed()) {
            requireInArena("freed range", freed);
            bytes.erase(freed);
        }
    }

    /**
     * As if the copy were made where it begins; that nothing interferes until it ends is {@link LaneChecker}'s to
     * prove.
     */
    private void run(TransferEvent event) {
        switch (event) {
            case Begin(int _, Transfer transfer) -> move(transfer);
            case Await(int _, int number) -> {
                Transfer transfer = transfers.get(number);
                if (transfer.isStore() && transfer.frees()) {
                    bytes.erase(transfer.range());
                }
            }
        }
    }

    private void move(Transfer transfer) {
        ByteRange range = transfer.range();
        TaggedBytes place = below.get(transfer.place());
        requireAligned(transfer.name(), range, 1);
        requireInPlace(transfer.name(), transfer.below(), transfer.place());
        Stored stored = tensors.get(transfer.stored());
        if (stored == null || stored.range().bytes() > range.bytes()) {
            throw violation(transfer.name(), range, "is not what is moved");
        }
        ByteRange tensor = new ByteRange(range.offset(), stored.range().bytes());
        ByteRange held = new ByteRange(transfer.offset(), tensor.bytes());
        if (transfer.isStore()) {
            if (!stored.range().equals(tensor)) {
                throw violation(transfer.name(), range, "is stored from where it never was");
            }
            requireHeld(transfer.value(), tensor, "is stored");
            place.erase(transfer.below());
            place.tag(held, transfer.value());
            return;
        }
        if (!place.hold(held, transfer.stored())) {
            throw violation(transfer.name(), held, "is fetched but is not in its place");
        }
        bytes.erase(range);
        store(transfer.value(), transfer.name(), tensor);
        int input = updated.getOrDefault(transfer.stored(), transfer.stored());
        if (homes.containsKey(input)) {
            if (content.get(input) != transfer.stored()) {
                throw violation(transfer.name(), held, "is fetched from its home after it was updated");
            }
            fetched.put(transfer.value(), transfer.stored());
        }
        if (transfer.frees()) {
            place.erase(transfer.below());
        }
    }

    /** An accumulator that holds nothing may be read by what defines it. */
    private void requireDefined(KernelStep step) {
        for (MemoryRead read : step.reads()) {
            boolean defines = step.writes().stream()
                    .flatMap(write -> KernelStepChecker.updated(step, write).stream())
                    .anyMatch(operand -> operand.value() == read.value());
            if (undefined.contains(read.value()) && !defines) {
                throw violation(
                        tensors.get(read.value()).name(),
                        tensors.get(read.value()).range(),
                        "is read before a micro-batch has added to it");
            }
        }
        for (MemoryWrite write : step.writes()) {
            KernelStepChecker.updated(step, write).ifPresent(operand -> undefined.remove(operand.value()));
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
        if (!empty && (read.view().offset() < 0 || last < 0 || read.dtype().bytesOf(last + 1) > read.bytes())) {
            throw violation(stored.name(), range, "is read past its end");
        }
        return range;
    }

    private void storeBelow(ArenaTensor input) {
        tensors.put(input.value(), new Stored(input.name(), input.range(), at));
        homes.get(input.value()).tag(input.range(), input.value());
    }

    private void store(int value, String name, ByteRange range) {
        Stored before = tensors.put(value, new Stored(name, range, at));
        if (before != null && !(again && before.step() == at)) {
            throw violation(name, range, "has the id of '" + before.name() + "', which was computed before");
        }
        bytes.tag(range, value);
    }

    private void update(MemoryWrite write, MemoryRead operand, Section section) {
        ByteRange range = tensors.get(operand.value()).range();
        int held = fetched.getOrDefault(operand.value(), operand.value());
        int input = updated.getOrDefault(held, held);
        if (section.times() > 1 && persistent.contains(input)) {
            throw violation(write.name(), range, "is updated once a micro-batch, not once a step");
        }
        boolean holds = shares.remove(held) || content.containsKey(input) && content.put(input, write.value()) == held;
        if (!holds) {
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
        int input = updated.getOrDefault(output.value(), output.value());
        requireHeld(content.getOrDefault(input, input) == input ? input : output.value(), range, "is an output");
    }

    /** Where an input is at home, in the arena or below, must be what it holds by now. */
    private void requireThere(int input, int holder, String use) {
        TaggedBytes home = homes.getOrDefault(input, bytes);
        ByteRange range = tensors.get(input).range();
        if (!home.hold(range, holder)) {
            String where = homes.containsKey(input) ? " but is not in its home" : " but is no longer there";
            throw violation(tensors.get(input).name(), range, use + where + intruder(home, range, holder));
        }
    }

    private void requireHeld(int value, ByteRange range, String use) {
        if (!bytes.hold(range, value)) {
            throw violation(
                    tensors.get(value).name(), range, use + " but is no longer there" + intruder(bytes, range, value));
        }
    }

    private String intruder(TaggedBytes place, ByteRange range, int value) {
        OptionalInt intruder = place.intruder(range, value);
        return intruder.isPresent() ? "; '" + tensors.get(intruder.getAsInt()).name() + "' is" : "";
    }

    private void requireAligned(String tensor, ByteRange range, long element) {
        requireInArena(tensor, range);
        if (range.bytes() > 0 && range.offset() % Math.max(alignment, element) != 0) {
            throw violation(tensor, range, "does not begin at a multiple of " + Math.max(alignment, element));
        }
    }

    private void requireInPlace(String tensor, ByteRange range, int place) {
        if (range.end() > plan.transfers().places().get(place).bytes()) {
            throw violation(tensor, range, "leaves its place");
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
