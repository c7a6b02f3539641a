package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Makes a sequence of runs alone valid where values live below: each is fetched right before it is first needed and
 * stays, and is stored right after it has changed for the last time.
 */
final class BringResidents {
    private BringResidents() {}

    static OperatorSequence into(RematProblem problem, OperatorSequence sequence) {
        int[] lastChange = new int[problem.valueCount()];
        Arrays.fill(lastChange, -1);
        for (int t = 0; t < sequence.length(); t++) {
            for (int written : problem.writes(sequence.node(t))) {
                lastChange[written] = t;
            }
        }
        boolean[] there = new boolean[problem.valueCount()];
        IntList steps = new IntList();
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            List<Integer> needed = new ArrayList<>(problem.writes(node));
            for (int k = 0; k < problem.inputCount(node); k++) {
                needed.add(problem.input(node, k));
            }
            for (int v : needed) {
                if (problem.storage(v) == v && livesBelow(problem, v) && !there[v]) {
                    there[v] = true;
                    steps.add(new SequenceStep.Fetch(v).code());
                }
            }
            steps.add(node);
            for (int v : problem.writes(node)) {
                if (livesBelow(problem, v) && lastChange[v] == t) {
                    steps.add(new SequenceStep.Store(v, problem.home(v)).code());
                }
            }
        }
        return new OperatorSequence(sequence.strategy(), steps.toArray(), sequence.retained());
    }

    private static boolean livesBelow(RematProblem problem, int value) {
        return problem.home(value) != ProblemNode.DEVICE;
    }
}
