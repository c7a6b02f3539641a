package dev.remat.codegen.cuda.sass;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A way through a kernel that stands for what its warps execute: the longest or the shortest by instructions, with
 * every loop gone through as often as told.
 *
 * @param instructions that a warp issues
 * @param stall cycles that the warp waits between them by the compiler's schedule, without waiting for memory
 * @param flops additions and multiplications of its threads together
 */
public record ExecutedPath(double instructions, double stall, double flops) {
    private static final ExecutedPath NOTHING = new ExecutedPath(0, 0, 0);
    private static final int WARP = 32;

    /** The longest through the whole kernel. */
    public static ExecutedPath longest(ControlFlow flow, ToDoubleFunction<Loop> rounds) {
        return longest(flow, new Loop(0, flow.code().size()), rounds);
    }

    /** The longest through one round of a loop; loops in it are gone through as often as told. */
    public static ExecutedPath longest(ControlFlow flow, Loop within, ToDoubleFunction<Loop> rounds) {
        return of(flow, within, rounds, true);
    }

    /** The shortest through one round of a loop, and one of each loop in it: where no branch finds anything to do. */
    public static ExecutedPath shortest(ControlFlow flow, Loop within) {
        return of(flow, within, _ -> 1, false);
    }

    private static ExecutedPath of(ControlFlow flow, Loop within, ToDoubleFunction<Loop> rounds, boolean longest) {
        BitSet body = flow.body(within);
        List<List<Integer>> edges = new ArrayList<>();
        double[] times = new double[flow.blocks()];
        Arrays.fill(times, 1);
        for (int block = 0; block < flow.blocks(); block++) {
            edges.add(new ArrayList<>(flow.successors(block)));
        }
        for (Loop inner : flow.loops()) {
            if (within.encloses(inner)) {
                BitSet repeated = flow.body(inner);
                leaveFromTheEnd(flow, inner, repeated, edges);
                double factor = rounds.applyAsDouble(inner);
                repeated.stream().forEach(block -> times[block] *= factor);
            }
        }
        edges.forEach(next -> next.removeIf(block -> !body.get(block)));
        return of(flow, within, edges, times, longest);
    }

    /** Adds edges from the end of a loop to wherever it may be left for: it is left after its last round. */
    private static void leaveFromTheEnd(ControlFlow flow, Loop loop, BitSet body, List<List<Integer>> edges) {
        List<Integer> last = edges.get(flow.blockAt(loop.end() - 1));
        body.stream().forEach(block -> {
            for (int next : flow.successors(block)) {
                if (!body.get(next) && !last.contains(next)) {
                    last.add(next);
                }
            }
        });
    }

    private static ExecutedPath of(
            ControlFlow flow, Loop within, List<List<Integer>> edges, double[] times, boolean longest) {
        int entry = flow.blockAt(within.first());
        int last = flow.blockAt(within.end() - 1);
        ExecutedPath[] before = new ExecutedPath[flow.blocks()];
        ExecutedPath most = NOTHING;
        ExecutedPath atEnd = NOTHING;
        before[entry] = NOTHING;
        for (int block : ControlFlow.depthFirst(edges, entry, (_, _) -> {})) {
            ExecutedPath here = before[block].plus(flow, block, times[block]);
            most = here.or(most, true);
            atEnd = block == last ? here : atEnd;
            for (int next : edges.get(block)) {
                before[next] = here.or(before[next], longest);
            }
        }
        return longest ? most : atEnd;
    }

    private ExecutedPath plus(ControlFlow flow, int block, double times) {
        double issued = instructions;
        double waited = stall;
        double computed = flops;
        for (Instruction instruction : flow.code().subList(flow.start(block), flow.end(block))) {
            issued += times;
            waited += times * instruction.stall();
            int threads = instruction.opcode().isOfWarp() ? 1 : WARP;
            computed += times * threads * instruction.opcode().flops();
        }
        return new ExecutedPath(issued, waited, computed);
    }

    private ExecutedPath or(ExecutedPath other, boolean longer) {
        return other == null || longer == (instructions > other.instructions) ? this : other;
    }
}
