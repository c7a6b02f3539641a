package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.build.DelayWrites;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.Arrays;

/**
 * Turns a schedule over segments into a sequence: when the backward first needs something of a segment, the forward is
 * run again from the segment that the schedule names, whose inputs are in memory then, up to this one. So a node may
 * run many times, as binomial and recursive checkpointing want it.
 *
 * <p>What such a run makes of earlier segments serves that run alone, but for what enters a segment that some later run
 * begins with. Takes time in proportion to the edges of all steps, but for sorting them.
 *
 * <p>{@link SequenceBuilder} does not follow from this by a single segment: it also serves forward nodes that come
 * after the first backward one, which no segment holds, and keeps every recomputation.
 */
public final class ReplaySegments {
    private static final int NOWHERE = -1;

    private final RematProblem problem;
    private final ForwardGraph graph;
    private final Retention retention;
    private final SegmentSchedule schedule;
    private final int[] segment;
    private final boolean[] available;
    private final boolean[] kept;
    private final boolean[] recomputed;
    /** Per node: the last run that it was collected for. */
    private final int[] collectedBy;

    private final IntList steps = new IntList();
    private final IntList recomputations = new IntList();
    private int runs;

    private ReplaySegments(
            ForwardGraph graph, Retention retention, Segmentation segmentation, SegmentSchedule schedule) {
        this.problem = graph.problem();
        this.graph = graph;
        this.retention = retention;
        this.schedule = schedule;
        segment = segmentation.cutsUpTo();
        available = new boolean[problem.valueCount()];
        kept = new boolean[problem.valueCount()];
        recomputed = new boolean[problem.nodeCount()];
        collectedBy = new int[problem.nodeCount()];
        for (int v = 0; v < available.length; v++) {
            boolean forward = problem.role(problem.producer(v)) == Role.FORWARD;
            if (forward && schedule.isLast(segmentOf(v))) {
                retention.retain(v, RetainReason.CHOSEN);
            }
        }
        retention.retainShared();
        for (int v = 0; v < available.length; v++) {
            boolean forward = problem.role(problem.producer(v)) == Role.FORWARD;
            available[v] = !forward
                    || problem.residentNode(problem.producer(v))
                    || retention.retained(v)
                    || segmentOf(v) < 0 && !mustRecompute(v);
        }
    }

    /**
     * The sequence of a schedule.
     *
     * @param free what is retained besides; is added to
     */
    public static OperatorSequence build(
            String strategy, ForwardGraph graph, Retention free, Segmentation segmentation, SegmentSchedule schedule) {
        ReplaySegments replay = new ReplaySegments(graph, free, segmentation, schedule);
        SequenceBuilder.addInOrder(graph.problem(), replay.steps, replay::serve);
        int[] steps = DelayWrites.of(graph.problem(), replay.steps.toArray());
        return new OperatorSequence(strategy, steps, free.reasons(replay.kept));
    }

    /** Makes the inputs of a backward node available, those of its latest segment first. */
    private void serve(int node) {
        int latest = NOWHERE;
        for (int k = 0; k < problem.inputCount(node); k++) {
            latest = Math.max(latest, segmentOf(problem.input(node, k)));
        }
        for (int at = latest; at >= 0; at = latestMissing(node, at)) {
            replay(node, at);
        }
        replay(node, NOWHERE);
        for (int k = 0; k < problem.inputCount(node); k++) {
            kept[problem.input(node, k)] |= retention.retained(problem.input(node, k));
        }
    }

    /** The latest segment before {@code end} of which the node still lacks something, or {@link #NOWHERE}. */
    private int latestMissing(int node, int end) {
        int latest = NOWHERE;
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            if (!available[v] && segmentOf(v) < end) {
                latest = Math.max(latest, segmentOf(v));
            }
        }
        return latest;
    }

    /** Computes again what {@code node} lacks of segment {@code target}, and what that takes of the segments before. */
    private void replay(int node, int target) {
        runs++;
        recomputations.clear();
        int from = target == NOWHERE ? NOWHERE : schedule.start(target);
        collect(node, from, target);
        for (int i = 0; i < recomputations.size(); i++) {
            collect(recomputations.get(i), from, target);
        }
        int[] order = recomputations.toArray();
        Arrays.sort(order);
        for (int n : order) {
            steps.add(n);
            recomputed[n] = true;
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                available[v] |= segmentOf(v) == target || readFrom(v, target);
            }
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            available[problem.input(node, k)] |= collectedBy[problem.producer(problem.input(node, k))] == runs;
        }
    }

    /** Adds the producers of what the node lacks and what is not in memory where segment {@code from} begins. */
    private void collect(int node, int from, int target) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            int producer = problem.producer(v);
            boolean within = segmentOf(v) >= Math.max(0, from) && segmentOf(v) <= target;
            if (available[v]) {
                kept[v] |= retention.retained(v);
            } else if ((within || mustRecompute(v)) && collectedBy[producer] != runs) {
                collectedBy[producer] = runs;
                recomputations.add(producer);
            } else if (!within && !mustRecompute(v)) {
                available[v] = readFrom(v, target);
            }
        }
    }

    /** Whether a forward node of the segment or a later one reads the value, so that it is there when these begin. */
    private boolean readFrom(int value, int target) {
        return target >= 0 && graph.lastRead(value) >= 0 && segment[graph.lastRead(value)] >= target;
    }

    /** Whether the user forbids that anything but the first forward reads what it made. */
    private boolean mustRecompute(int value) {
        int producer = problem.producer(value);
        return problem.pin(producer) == Pin.RECOMPUTE && !recomputed[producer];
    }

    private int segmentOf(int value) {
        int position = graph.position(problem.producer(value));
        return position < 0 ? NOWHERE : segment[position];
    }
}
