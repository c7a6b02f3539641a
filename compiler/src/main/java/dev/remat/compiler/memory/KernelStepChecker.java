package dev.remat.compiler.memory;

import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ShapeException;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What one step computes and may touch at once. Instructions read what is there and give the types that their
 * operations give. Writes and the workspace are apart from each other and from what is read, but for three cases: an
 * elementwise step, or what leads to a reduction, may compute into a buffer that it walks in the order of its result,
 * an operation into the operand that it says, and an update writes over what it updates. Writes that share a buffer
 * fill it, each element once.
 */
final class KernelStepChecker {
    private final int index;
    private final KernelStep step;
    private final List<ByteRange> reads;
    private final List<ByteRange> writes;
    private final List<Instruction> body;

    private KernelStepChecker(int index, KernelStep step, List<ByteRange> reads, List<ByteRange> writes) {
        this.index = index;
        this.step = step;
        this.reads = reads;
        this.writes = writes;
        this.body = step.body().instructions();
    }

    /**
     * @param reads range of the buffer of each read
     * @param writes range of each write
     * @throws PlanViolationException at the first violation
     */
    static void verify(int index, KernelStep step, List<ByteRange> reads, List<ByteRange> writes) {
        new KernelStepChecker(index, step, reads, writes).verify();
    }

    private void verify() {
        for (int i = 0; i < body.size(); i++) {
            requireWhole(i);
        }
        for (int w = 0; w < writes.size(); w++) {
            MemoryWrite write = step.writes().get(w);
            requireComputed(write);
            requireFilled(write, writes.get(w));
            for (int other = 0; other < w; other++) {
                if (step.writes().get(other).value() != write.value()) {
                    requireApart(writes.get(w), write.name(), writes.get(other), "is written over another result");
                }
            }
            requireApart(writes.get(w), write.name(), step.workspace(), "is written over the workspace");
            for (int r = 0; r < reads.size(); r++) {
                if (writes.get(w).overlaps(reads.get(r)) && !mayOverwrite(write, writes.get(w), r)) {
                    throw violation(write.name(), writes.get(w), "is written over an operand of the same step");
                }
            }
        }
        for (int r = 0; r < reads.size(); r++) {
            requireApart(
                    reads.get(r), "%" + step.reads().get(r).value(), step.workspace(), "is read under the workspace");
        }
    }

    private void requireWhole(int position) {
        Instruction instruction = body.get(position);
        List<TensorType> operands = new ArrayList<>();
        for (Operand operand : instruction.operands()) {
            operands.add(type(operand, position));
        }
        requireTypes(instruction, operands);
        if (instruction.op() instanceof Update update) {
            for (Update.Write effect : update.writes()) {
                boolean written = step.writes().stream()
                        .anyMatch(w -> w.instruction() == position && w.result() == effect.result());
                if (!written) {
                    throw violation(step.name(), new ByteRange(0, 0), "is updated but not written");
                }
            }
        }
    }

    private TensorType type(Operand operand, int position) {
        boolean known = switch (operand) {
            case Operand.FromMemory(int read) -> read >= 0 && read < reads.size();
            case Operand.FromInstruction(int from, int result) ->
                from >= 0
                        && from < position
                        && result >= 0
                        && result < body.get(from).types().size();
            case Operand.FromSeed(int ordinal) -> ordinal >= 0;
        };
        if (!known) {
            throw violation(step.name(), new ByteRange(0, 0), "is computed from nothing: " + operand);
        }
        return switch (operand) {
            case Operand.FromMemory(int read) -> step.reads().get(read).type();
            case Operand.FromInstruction(int from, int result) ->
                body.get(from).types().get(result);
            case Operand.FromSeed seed -> TensorType.SEED;
        };
    }

    private void requireTypes(Instruction instruction, List<TensorType> operands) {
        String problem;
        try {
            List<TensorType> inferred = instruction.op().infer(operands);
            if (inferred.equals(instruction.types())) {
                return;
            }
            problem = instruction.op().mnemonic() + " gives " + inferred + ", not " + instruction.types();
        } catch (ShapeException e) {
            problem = e.getMessage();
        }
        throw violation(step.name(), new ByteRange(0, 0), problem);
    }

    private void requireComputed(MemoryWrite write) {
        boolean known = write.instruction() >= 0
                && write.instruction() < body.size()
                && write.result() >= 0
                && write.result() < body.get(write.instruction()).types().size()
                && body.get(write.instruction()).types().get(write.result()).equals(write.type());
        if (!known) {
            throw violation(write.name(), new ByteRange(write.offset(), write.bytes()), "is written but not computed");
        }
    }

    /** Results that share a buffer must agree where it is, lie apart in it and leave nothing of it unwritten. */
    private void requireFilled(MemoryWrite write, ByteRange range) {
        List<MemoryWrite> sharing = step.writes().stream()
                .filter(other -> other.value() == write.value())
                .toList();
        boolean agree = sharing.stream()
                .allMatch(other -> other.offset() == write.offset()
                        && other.bytes() == write.bytes()
                        && other.type().dtype() == write.type().dtype()
                        && other.view().shape().equals(other.type().shape()));
        long elements = write.type().dtype().elementsIn(write.bytes());
        if (!agree || !Tiling.fills(sharing.stream().map(MemoryWrite::view).toList(), elements)) {
            throw violation(write.name(), range, "is not all written, each part once");
        }
    }

    private boolean mayOverwrite(MemoryWrite write, ByteRange range, int read) {
        boolean elementwise = body.get(write.instruction()).op() instanceof Elementwise
                && body.stream().allMatch(i -> i.op() instanceof Elementwise || i.op() instanceof Reduce);
        boolean updates = updated(step, write)
                .filter(operand -> operand.offset() == range.offset())
                .isPresent();
        return (elementwise || updates || takesPlace(write, read))
                && reads.get(read).equals(range)
                && inOrder(write, step.reads().get(read));
    }

    /** Whether a read is what an operation says that it may be computed in place of, and nothing else in it. */
    private boolean takesPlace(MemoryWrite write, int read) {
        Instruction made = body.get(write.instruction());
        OptionalInt taken = made.op().computesInPlaceOf(made.operands().size());
        return taken.isPresent()
                && made.operands().get(taken.getAsInt()).equals(new Operand.FromMemory(read))
                && Collections.frequency(made.operands(), new Operand.FromMemory(read)) == 1;
    }

    /** Whether element i of the operand lies where element i of the result goes. */
    private static boolean inOrder(MemoryWrite write, MemoryRead read) {
        return read.dtype().bytesOf(Byte.SIZE) == write.type().dtype().bytesOf(Byte.SIZE)
                && read.view().offset() == 0
                && read.view().isContiguous()
                && read.view()
                        .extents()
                        .equals(StridedView.dense(write.type().shape()).extents());
    }

    /** What an update leaves {@code write} in the place of; empty for other writes. */
    static Optional<MemoryRead> updated(KernelStep step, MemoryWrite write) {
        Instruction instruction = step.body().instructions().get(write.instruction());
        if (!(instruction.op() instanceof Update update)) {
            return Optional.empty();
        }
        return update.writes().stream()
                .filter(w -> w.result() == write.result())
                .map(w -> instruction.operands().get(w.operand()))
                .filter(Operand.FromMemory.class::isInstance)
                .map(operand -> step.reads().get(((Operand.FromMemory) operand).index()))
                .findFirst();
    }

    private void requireApart(ByteRange range, String tensor, ByteRange other, String problem) {
        if (range.overlaps(other)) {
            throw violation(tensor, range, problem);
        }
    }

    private PlanViolationException violation(String tensor, ByteRange range, String problem) {
        return new PlanViolationException(index, describe(index, step), tensor, range, problem);
    }

    static String describe(int index, KernelStep step) {
        return "step " + index + " '" + step.name() + "' (" + step.location() + ")";
    }
}
