package dev.remat.compiler.plan.evaluate;

import dev.remat.compiler.plan.evaluate.StepTimeline.Wait;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How long a valid sequence takes where values are moved beside computation, in whole nanoseconds and in time
 * proportional to the edges of all steps.
 *
 * <p>Nodes run one after the other, each once what it reads has been fetched. Each tier has a lane to store and a lane
 * to fetch, which move one value after the other. A transfer is issued when everything that stands in front of it in
 * the compute lane is done, awaits included: then the memory that it takes is free, so that what fits by positions fits
 * at any time. It begins then, if its lane is free, and takes from the nodes behind it what its tier's interference
 * says. What residents cost stands in front of the first step.
 *
 * <p>Time decides what is best and never what is right. Caches, clocks that change and other processes are not in it.
 */
public final class TimelineEvaluator {
    private static final int NONE = -1;

    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final long[] begin;
    private final long[] end;
    private final List<Wait> waits = new ArrayList<>();
    /** Per tier: when the lane has done what it was given. */
    private final long[] storeFree;

    private final long[] fetchFree;
    /** Per value: the step that stored or fetched it last. */
    private final int[] stored;

    private final int[] fetched;
    /** Per value: the tier of its copy. */
    private final int[] tier;
    /** When the compute lane has done what it was given. */
    private long clock;

    private long interference;

    private TimelineEvaluator(RematProblem problem, OperatorSequence sequence) {
        this.problem = problem;
        this.sequence = sequence;
        int values = problem.valueCount();
        begin = new long[sequence.length()];
        end = new long[sequence.length()];
        storeFree = new long[problem.tiers().size()];
        fetchFree = new long[problem.tiers().size()];
        stored = new int[values];
        fetched = new int[values];
        tier = new int[values];
        Arrays.fill(stored, NONE);
        Arrays.fill(fetched, NONE);
        for (int v = 0; v < values; v++) {
            tier[v] = problem.home(v) == ProblemNode.DEVICE ? NONE : problem.home(v);
        }
        for (int n = 0; n < problem.nodeCount(); n++) {
            clock = problem.residentNode(n) ? plus(clock, problem.cost(n)) : clock;
        }
    }

    /** Requires a sequence without violations for a problem with tiers, whose costs are nanoseconds. */
    public static StepTimeline evaluate(RematProblem problem, OperatorSequence sequence) {
        return new TimelineEvaluator(problem, sequence).evaluate();
    }

    private StepTimeline evaluate() {
        for (int t = 0; t < begin.length; t++) {
            switch (sequence.step(t)) {
                case SequenceStep.Run run -> run(t, run.node());
                case SequenceStep.Store store -> store(t, store.value(), store.tier());
                case SequenceStep.Await await -> await(t, await.value());
                case SequenceStep.Fetch fetch -> fetch(t, fetch.value());
            }
        }
        long makespan = clock;
        for (int k = 0; k < storeFree.length; k++) {
            makespan = Math.max(makespan, Math.max(storeFree[k], fetchFree[k]));
        }
        return new StepTimeline(begin, end, waits, interference, makespan);
    }

    private void run(int step, int node) {
        int latest = NONE;
        for (int k = 0; k < problem.inputCount(node); k++) {
            latest = later(latest, fetched[problem.input(node, k)]);
        }
        for (int written : problem.writes(node)) {
            latest = later(latest, fetched[written]);
        }
        waitFor(step, latest);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            fetched[v] = NONE;
        }
        begin[step] = clock;
        clock = plus(clock, problem.cost(node));
        end[step] = clock;
    }

    private void store(int step, int value, int to) {
        long source = fetched[value] == NONE ? 0 : end[fetched[value]];
        begin[step] = Math.max(Math.max(clock, storeFree[to]), source);
        end[step] = plus(begin[step], problem.tiers().get(to).storeNanos(problem.bytes(value)));
        storeFree[to] = end[step];
        interfere(value, to);
        stored[value] = step;
        tier[value] = to;
    }

    private void await(int step, int value) {
        begin[step] = clock;
        waitFor(step, stored[value]);
        end[step] = clock;
    }

    private void fetch(int step, int value) {
        int from = tier[value];
        long source = stored[value] == NONE ? 0 : end[stored[value]];
        begin[step] = Math.max(Math.max(clock, fetchFree[from]), source);
        end[step] = plus(begin[step], problem.tiers().get(from).fetchNanos(problem.bytes(value)));
        fetchFree[from] = end[step];
        interfere(value, from);
        fetched[value] = step;
    }

    private void interfere(int value, int with) {
        long lost = problem.tiers().get(with).interferenceNanos(problem.bytes(value));
        clock = plus(clock, lost);
        interference = plus(interference, lost);
    }

    private int later(int one, int other) {
        return one == NONE || other != NONE && end[other] > end[one] ? other : one;
    }

    private void waitFor(int step, int transfer) {
        if (transfer != NONE && end[transfer] > clock) {
            waits.add(new Wait(step, transfer, end[transfer] - clock));
            clock = end[transfer];
        }
    }

    /** Stops at the largest long rather than overflow. */
    private static long plus(long sum, long term) {
        return term > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + term;
    }
}
