package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/** What the runs of a sequence do in each gap, as labels; transfers are left out. */
final class LabelsOfSequence {
    private final StorageGaps gaps;
    /** Per node: the steps at which it runs, counted without transfers. */
    private final List<IntList> runs = new ArrayList<>();
    /** Per step: the step of the last first computation at or before it. */
    private final int[] firstBefore;

    private LabelsOfSequence(RematProblem problem, StorageGaps gaps, OperatorSequence sequence) {
        this.gaps = gaps;
        for (int n = 0; n < problem.nodeCount(); n++) {
            runs.add(new IntList());
        }
        int[] nodes = sequence.steps().filter(step -> step >= 0).toArray();
        firstBefore = new int[nodes.length];
        int latest = 0;
        for (int t = 0; t < firstBefore.length; t++) {
            IntList ofNode = runs.get(nodes[t]);
            latest = ofNode.size() == 0 ? t : latest;
            firstBefore[t] = latest;
            ofNode.add(t);
        }
    }

    static int[] of(RematProblem problem, StorageGaps gaps, OperatorSequence sequence) {
        LabelsOfSequence found = new LabelsOfSequence(problem, gaps, sequence);
        int[] labels = gaps.keepAll();
        for (int g = 0; g < labels.length; g++) {
            boolean leaves = gaps.allows(g, StorageGaps.RECOMPUTE) && gaps.from(g) >= 0;
            labels[g] = leaves ? found.label(g, problem.producer(gaps.storage(g)), labels[g]) : labels[g];
        }
        return labels;
    }

    private int label(int gap, int producer, int kept) {
        int begin = first(gaps.from(gap));
        int end = gaps.to(gap) < runs.size() ? first(gaps.to(gap)) : firstBefore.length;
        int served = end < firstBefore.length && end > 0 ? firstBefore[end - 1] : end;
        int again = 0;
        int last = -1;
        for (int k = 0; k < runs.get(producer).size(); k++) {
            int step = runs.get(producer).get(k);
            if (begin < step && step < end) {
                again++;
                last = step;
            }
        }
        boolean onceMoreForTheEnd = again > 1 && last > served;
        return again == 0 ? kept : StorageGaps.label(StorageGaps.RECOMPUTE, !onceMoreForTheEnd);
    }

    private int first(int node) {
        return runs.get(node).get(0);
    }
}
