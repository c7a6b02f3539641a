package dev.remat.compiler.plan.price;

import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds, going through a sequence from its end, transfers of what nothing reads: fetches before which nothing behind
 * wants the value, stores of what nothing fetches, and their awaits. What is brought home stays.
 */
final class UnreadTransfers {
    private final RematProblem problem;
    /** Per value: whether anything behind reads what is on the device. */
    private final boolean[] wanted;

    private final boolean[] goes;
    /** Per value: whether anything behind fetches what is below. */
    private final boolean[] fetched;
    /** By value: steps that wait for the store that is yet to come. */
    private final Map<Integer, List<Integer>> awaits = new LinkedHashMap<>();

    UnreadTransfers(RematProblem problem, boolean[] wanted, boolean[] goes) {
        this.problem = problem;
        this.wanted = wanted;
        this.goes = goes;
        this.fetched = new boolean[problem.valueCount()];
    }

    void pass(int step, SequenceStep transfer) {
        switch (transfer) {
            case SequenceStep.Run run -> throw new IllegalArgumentException(run + " is no transfer");
            case SequenceStep.Fetch(int value) -> {
                goes[step] = !wanted[value];
                fetched[value] |= wanted[value];
                wanted[value] = false;
            }
            case SequenceStep.Await(int value) ->
                awaits.computeIfAbsent(value, _ -> new ArrayList<>()).add(step);
            case SequenceStep.Store(int value, int _) -> {
                boolean stays = fetched[value] || problem.home(value) != ProblemNode.DEVICE;
                goes[step] = !stays;
                List<Integer> waiting = awaits.remove(value);
                for (int await : waiting == null ? List.<Integer>of() : waiting) {
                    goes[await] = !stays;
                }
                wanted[value] |= stays;
                fetched[value] = false;
            }
        }
    }
}
