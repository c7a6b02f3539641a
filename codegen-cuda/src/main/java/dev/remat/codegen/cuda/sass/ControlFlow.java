package dev.remat.codegen.cuda.sass;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Which blocks of a kernel's instructions may follow which, and its loops. Calls return, so that what they lead to is
 * left out, and no block follows a jump through a register.
 */
public final class ControlFlow {
    /** Far more than any kernel has; damaged code may jump anywhere. */
    private static final int MOST_LOOPS = 256;

    private static final byte NEW = 0;
    private static final byte OPEN = 1;
    private static final byte DONE = 2;

    private final List<Instruction> code;
    /** First instructions of blocks, and the number of instructions. */
    private final int[] starts;

    private final List<List<Integer>> successors = new ArrayList<>();
    private final List<List<Integer>> predecessors = new ArrayList<>();
    private final List<Loop> loops;

    private ControlFlow(List<Instruction> code, int[] starts) {
        this.code = code;
        this.starts = starts;
        for (int block = 0; block < blocks(); block++) {
            successors.add(successorsOf(block));
            predecessors.add(new ArrayList<>());
        }
        for (int block = 0; block < blocks(); block++) {
            for (int next : successors.get(block)) {
                predecessors.get(next).add(block);
            }
        }
        this.loops = findLoops();
    }

    /**
     * @param code at least one instruction, of which the first is where the kernel begins
     * @throws CorruptCubinException if it has more loops than any kernel
     */
    public static ControlFlow of(List<Instruction> code) {
        boolean[] starting = new boolean[code.size() + 1];
        starting[0] = true;
        starting[code.size()] = true;
        for (int i = 0; i < code.size(); i++) {
            Instruction instruction = code.get(i);
            if (instruction.opcode().endsBlock()) {
                starting[i + 1] = true;
                if (instruction.target() != Instruction.NOWHERE) {
                    starting[instruction.target()] = true;
                }
            }
        }
        int[] starts = new int[starting.length];
        int count = 0;
        for (int i = 0; i < starting.length; i++) {
            if (starting[i]) {
                starts[count++] = i;
            }
        }
        return new ControlFlow(List.copyOf(code), Arrays.copyOf(starts, count));
    }

    public List<Instruction> code() {
        return code;
    }

    /** Loops by their first instruction, of those that begin together the longest first. */
    public List<Loop> loops() {
        return loops;
    }

    /**
     * Blocks that a loop's rounds may go through, wherever they lie: all that lead to its end without its beginning
     * (Aho, Sethi and Ullman, 1986). Of the whole kernel, all blocks.
     */
    BitSet body(Loop loop) {
        BitSet body = new BitSet(blocks());
        if (loop.first() == 0 && loop.end() == code.size()) {
            body.set(0, blocks());
            return body;
        }
        Deque<Integer> open = new ArrayDeque<>();
        body.set(blockAt(loop.first()));
        open.push(blockAt(loop.end() - 1));
        while (!open.isEmpty()) {
            int block = open.pop();
            if (!body.get(block)) {
                body.set(block);
                open.addAll(predecessors.get(block));
            }
        }
        return body;
    }

    /** How many blocks of a loop, as it lies in memory, have an instruction of a kind. */
    public int blocksWith(Opcode opcode, Loop loop) {
        int found = 0;
        for (int block = blockAt(loop.first()); block < blocks() && start(block) < loop.end(); block++) {
            found += code.subList(start(block), end(block)).stream().anyMatch(i -> i.opcode() == opcode) ? 1 : 0;
        }
        return found;
    }

    /** Loops that have an instruction of a kind, and no loop inside that has one. */
    public List<Loop> innermost(Opcode opcode) {
        List<Loop> having =
                loops.stream().filter(loop -> blocksWith(opcode, loop) > 0).toList();
        return having.stream()
                .filter(loop -> having.stream().noneMatch(loop::encloses))
                .toList();
    }

    int blocks() {
        return starts.length - 1;
    }

    int start(int block) {
        return starts[block];
    }

    int end(int block) {
        return starts[block + 1];
    }

    int blockAt(int instruction) {
        int found = Arrays.binarySearch(starts, instruction);
        return found >= 0 ? found : -found - 2;
    }

    List<Integer> successors(int block) {
        return successors.get(block);
    }

    private List<Integer> successorsOf(int block) {
        Instruction last = code.get(end(block) - 1);
        List<Integer> next = new ArrayList<>();
        if (last.opcode() == Opcode.BRA && last.target() != Instruction.NOWHERE) {
            next.add(blockAt(last.target()));
        }
        if ((!last.opcode().endsBlock() || last.conditional()) && block + 1 < blocks()) {
            next.add(block + 1);
        }
        return next;
    }

    /**
     * Edges to a block that leads to their origin, found going depth first: in a program of nested loops exactly those
     * that close a loop (Hecht and Ullman, 1972).
     */
    private List<Loop> findLoops() {
        SequencedMap<Integer, Integer> ends = new TreeMap<>();
        depthFirst(successors, 0, (from, to) -> {
            if (start(to) < end(from)) {
                ends.merge(start(to), end(from), Math::max);
            }
        });
        List<Loop> found = new ArrayList<>();
        // A branch to itself is what the compiler fills the end of a kernel with.
        ends.forEach((first, end) -> {
            if (end - first > 1) {
                found.add(new Loop(first, end));
            }
        });
        if (found.size() > MOST_LOOPS) {
            throw new CorruptCubinException("has " + found.size() + " loops in one kernel");
        }
        found.sort(Comparator.comparingInt(Loop::first).thenComparing(Loop::end, Comparator.reverseOrder()));
        return List.copyOf(found);
    }

    /** Takes an edge. */
    interface Edge {
        void visit(int from, int to);
    }

    /**
     * Goes depth first from a block.
     *
     * @param closing receives the edges that lead back to a block that is being visited
     * @return the blocks reached, each before all that follow it by other edges
     */
    static List<Integer> depthFirst(List<List<Integer>> successors, int entry, Edge closing) {
        byte[] state = new byte[successors.size()];
        int[] next = new int[successors.size()];
        int[] stack = new int[successors.size()];
        List<Integer> order = new ArrayList<>();
        int depth = 0;
        stack[0] = entry;
        state[entry] = OPEN;
        while (depth >= 0) {
            int block = stack[depth];
            if (next[block] < successors.get(block).size()) {
                int to = successors.get(block).get(next[block]++);
                if (state[to] == NEW) {
                    state[to] = OPEN;
                    stack[++depth] = to;
                } else if (state[to] == OPEN) {
                    closing.visit(block, to);
                }
            } else {
                state[block] = DONE;
                order.add(block);
                depth--;
            }
        }
        return order.reversed();
    }
}
