package dev.remat.tests.ptx;

import dev.remat.tests.ptx.PtxScalars.Scalar;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Thirty-two lanes with a program counter each. Those that are furthest behind go first, all that are there together;
 * warp operations wait for the lanes that they name.
 */
final class PtxWarp {
    /** Bytes on their way to shared memory. */
    private record Copy(long to, byte[] bytes) {}

    private static final int LANES = 32;
    /** Far more than any kernel takes between two barriers. */
    private static final long MOST_STEPS = 1L << 26;

    private final PtxBlock block;
    private final int first;
    private final int existing;
    private final long[][] registers;
    private final int[] counters = new int[LANES];
    private final List<Deque<List<Copy>>> copies = new ArrayList<>();
    private final List<List<Copy>> open = new ArrayList<>();
    private int ended;
    private int atWarp;
    private int atBlock;

    /** @param first its first thread's number in the block */
    PtxWarp(PtxBlock block, int first, int threads) {
        this.block = block;
        this.first = first;
        existing = threads - first >= LANES ? -1 : (1 << threads - first) - 1;
        registers = new long[block.kernel().registers()][LANES];
        for (int lane = 0; lane < LANES; lane++) {
            copies.add(new ArrayDeque<>());
            open.add(new ArrayList<>());
        }
    }

    /** Which of the four warps of a group it is. */
    int withinGroup() {
        return first / LANES % 4;
    }

    boolean hasEnded() {
        return ended == existing;
    }

    /** Runs until every lane has ended or waits for the block. */
    void run() {
        for (long steps = 0; ; steps++) {
            if (steps == MOST_STEPS) {
                throw new PtxException(block.kernel().name() + " does not end");
            }
            int ready = existing & ~ended & ~atWarp & ~atBlock;
            if (ready == 0) {
                if (atWarp != 0) {
                    int lane = Integer.numberOfTrailingZeros(atWarp);
                    throw new PtxException("lanes do not meet: "
                            + block.kernel().instructions().get(counters[lane]).text());
                }
                return;
            }
            int least = Integer.MAX_VALUE;
            for (int lanes = ready; lanes != 0; lanes &= lanes - 1) {
                least = Math.min(least, counters[Integer.numberOfTrailingZeros(lanes)]);
            }
            int together = 0;
            for (int lanes = ready | atWarp; lanes != 0; lanes &= lanes - 1) {
                int lane = Integer.numberOfTrailingZeros(lanes);
                together |= counters[lane] == least ? 1 << lane : 0;
            }
            PtxInstruction instruction = block.kernel().instructions().get(least);
            try {
                step(instruction, together);
            } catch (PtxException failed) {
                throw new PtxException("%s: block %s, threads from %d, %s: %s"
                        .formatted(
                                block.kernel().name(), block.place(), first, instruction.text(), failed.getMessage()));
            }
        }
    }

    /** Lets lanes go on that wait for the block; whether any did. */
    boolean passBarrier() {
        boolean any = atBlock != 0;
        atBlock = 0;
        return any;
    }

    /** Fails where some of its lanes wait for the block and others have ended. */
    boolean waitsWhole() {
        return atBlock == existing;
    }

    private void step(PtxInstruction instruction, int together) {
        int active = guarded(instruction, together);
        String opcode = instruction.opcode();
        String name = opcode.contains(".") ? opcode.substring(0, opcode.indexOf('.')) : opcode;
        switch (name) {
            case "bra" -> {
                advance(together & ~active);
                each(active, lane -> counters[lane] = instruction.target());
            }
            case "ret", "exit" -> {
                advance(together & ~active);
                ended |= active;
            }
            case "bar", "shfl", "vote", "mma", "ldmatrix", "wgmma" -> {
                advance(together & ~active);
                if (active != 0) {
                    meet(instruction, active);
                }
            }
            case "fence" -> advance(together);
            case "ld" -> {
                each(active, lane -> load(instruction, lane));
                advance(together);
            }
            case "st" -> {
                each(active, lane -> store(instruction, lane));
                advance(together);
            }
            case "cp" -> {
                each(active, lane -> copy(instruction, lane));
                advance(together);
            }
            default -> {
                Scalar scalar = block.scalar(instruction);
                each(active, lane -> apply(instruction, scalar, lane));
                advance(together);
            }
        }
    }

    private interface LaneTask {
        void run(int lane);
    }

    private static void each(int lanes, LaneTask task) {
        for (int left = lanes; left != 0; left &= left - 1) {
            task.run(Integer.numberOfTrailingZeros(left));
        }
    }

    private void advance(int lanes) {
        each(lanes, lane -> counters[lane]++);
    }

    private int guarded(PtxInstruction instruction, int lanes) {
        if (instruction.guard() < 0) {
            return lanes;
        }
        int active = 0;
        for (int left = lanes; left != 0; left &= left - 1) {
            int lane = Integer.numberOfTrailingZeros(left);
            active |= registers[instruction.guard()][lane] != 0 != instruction.negated() ? 1 << lane : 0;
        }
        return active;
    }

    long value(PtxOperand operand, int lane) {
        return switch (operand) {
            case PtxOperand.Register register -> registers[register.index()][lane];
            case PtxOperand.Immediate immediate -> immediate.bits();
            case PtxOperand.Special special -> block.special(special.name(), first + lane);
            case PtxOperand.Symbol symbol -> block.sharedAddress(symbol.name());
            case PtxOperand.Address address -> value(address.base(), lane) + address.offset();
            case PtxOperand.Group group -> {
                long value = 0;
                int bits = 0;
                for (PtxOperand member : group.members()) {
                    value |= value(member, lane) << bits;
                    bits += ((PtxOperand.Register) member).bits();
                }
                yield value;
            }
        };
    }

    private void set(PtxOperand operand, int lane, long value) {
        switch (operand) {
            case PtxOperand.Register register ->
                registers[register.index()][lane] = value & PtxType.mask(register.bits());
            case PtxOperand.Group group -> {
                long rest = value;
                for (PtxOperand member : group.members()) {
                    set(member, lane, rest);
                    rest >>>= ((PtxOperand.Register) member).bits();
                }
            }
            case PtxOperand.Immediate _, PtxOperand.Special _, PtxOperand.Symbol _, PtxOperand.Address _ ->
                throw new PtxException("no place for a result");
        }
    }

    private void apply(PtxInstruction instruction, Scalar scalar, int lane) {
        List<PtxOperand> operands = instruction.operands();
        long[] values = new long[4];
        for (int i = 1; i < operands.size(); i++) {
            values[i - 1] = value(operands.get(i), lane);
        }
        set(operands.getFirst(), lane, scalar.of(values[0], values[1], values[2], values[3]));
    }

    private static List<PtxOperand> members(PtxOperand operand) {
        return operand instanceof PtxOperand.Group group ? group.members() : List.of(operand);
    }

    private void load(PtxInstruction instruction, int lane) {
        PtxType type = instruction.type();
        PtxOperand.Address from = (PtxOperand.Address) instruction.operands().get(1);
        if (instruction.has("param")) {
            set(instruction.operands().getFirst(), lane, block.parameter(((PtxOperand.Symbol) from.base()).name()));
            return;
        }
        List<PtxOperand> to = members(instruction.operands().getFirst());
        PtxMemory memory = block.memory(instruction);
        long at = memory.at(value(from, lane), (long) type.bytes() * to.size());
        long[] loaded = new long[to.size()];
        for (int i = 0; i < loaded.length; i++) {
            loaded[i] = type.number(memory.load(at + (long) i * type.bytes(), type.bytes()));
        }
        for (int i = 0; i < loaded.length; i++) {
            set(to.get(i), lane, loaded[i]);
        }
    }

    private void store(PtxInstruction instruction, int lane) {
        PtxType type = instruction.type();
        List<PtxOperand> from = members(instruction.operands().get(1));
        PtxMemory memory = block.memory(instruction);
        long at = memory.at(value(instruction.operands().getFirst(), lane), (long) type.bytes() * from.size());
        for (int i = 0; i < from.size(); i++) {
            memory.store(at + (long) i * type.bytes(), type.bytes(), value(from.get(i), lane));
        }
    }

    /** Copies read when they start and arrive when they are waited for. */
    private void copy(PtxInstruction instruction, int lane) {
        List<PtxOperand> operands = instruction.operands();
        switch (instruction.opcode()) {
            case "cp.async.commit_group" -> {
                copies.get(lane).add(List.copyOf(open.get(lane)));
                open.get(lane).clear();
            }
            case "cp.async.wait_group" -> {
                while (copies.get(lane).size() > value(operands.getFirst(), lane)) {
                    for (Copy copy : copies.get(lane).remove()) {
                        for (int i = 0; i < copy.bytes.length; i++) {
                            block.shared().store(copy.to + i, 1, copy.bytes[i]);
                        }
                    }
                }
            }
            case "cp.async.cg.shared.global", "cp.async.ca.shared.global" -> {
                int size = (int) value(operands.get(2), lane);
                long to = block.shared().at(value(operands.get(0), lane), size);
                byte[] bytes = new byte[size];
                int valid = operands.size() > 3 ? (int) value(operands.get(3), lane) : size;
                if (valid > 0) {
                    long from = block.global().at(value(operands.get(1), lane), size);
                    for (int i = 0; i < valid; i++) {
                        bytes[i] = (byte) block.global().load(from + i, 1);
                    }
                }
                open.get(lane).add(new Copy(to, bytes));
            }
            default -> throw PtxScalars.unknown(instruction);
        }
    }

    private void meet(PtxInstruction instruction, int active) {
        if (instruction.opcode().equals("bar.sync")) {
            advance(active);
            atBlock |= active;
        } else {
            collective(instruction, active);
        }
    }

    /** Waits until all lanes are here that the operation names. */
    private void collective(PtxInstruction instruction, int active) {
        int named = existing & PtxCollectives.lanes(instruction, lane -> operand -> value(operand, lane), active);
        if ((named & ended) != 0) {
            throw new PtxException("a lane that it names has ended");
        }
        if ((active & named) != named) {
            atWarp |= active;
            return;
        }
        atWarp &= ~active;
        PtxCollectives.run(instruction, this, block.shared(), named);
        advance(active);
    }

    /** Sets a result of one lane. */
    void put(PtxOperand operand, int lane, long value) {
        set(operand, lane, value);
    }
}
