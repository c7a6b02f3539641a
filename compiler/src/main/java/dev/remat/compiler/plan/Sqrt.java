package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Cuts the forward into about √n segments, retains what crosses the cuts, and recomputes the rest of a segment when the
 * backward first needs something of it (Chen, Xu, Zhang and Guestrin, 2016), on general graphs: behind cut vertices
 * where there are any, else at positions where everything that crosses is retained.
 *
 * <p>Segments are balanced by bytes. Since values differ in size, the best number of segments is only near √n; it is
 * taken from a geometric range around it, from one segment (which recomputes nothing) upwards, by the exact evaluator.
 */
public final class Sqrt implements Planner {
    private static final double STEP = Math.sqrt(2);
    private static final double SPAN = 4;

    @Override
    public String name() {
        return "sqrt";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        BestSequence best = new BestSequence(problem, options);
        Retention free = Retention.required(problem);
        SmallValues.retain(problem, free);
        ForwardGraph graph = ForwardGraph.of(problem, free);
        List<boolean[]> preferences = new ArrayList<>();
        preferences.add(CutPoints.of(graph));
        preferences.add(new boolean[graph.size()]);
        for (int count : counts(graph.size(), options)) {
            for (boolean[] preferred : preferences) {
                Retention retention = free.copy();
                Segmentation.balanced(graph, count, preferred).retainBoundaries(retention);
                best.offer(SequenceBuilder.build(name(), problem, retention));
            }
        }
        return best.sequence();
    }

    private static TreeSet<Integer> counts(int size, PlannerOptions options) {
        TreeSet<Integer> counts = new TreeSet<>();
        if (options.segments().isPresent()) {
            counts.add(options.segments().getAsInt());
            return counts;
        }
        counts.add(1);
        double root = Math.sqrt(size);
        for (double count = root / SPAN; count <= root * SPAN; count *= STEP) {
            counts.add((int) Math.max(2, Math.round(count)));
        }
        return counts;
    }
}
