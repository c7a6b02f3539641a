package dev.remat.compiler.plan.price;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.price.Price.Change;
import dev.remat.compiler.plan.price.Price.Obstacle;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Prices of the decisions of a sequence: the difference that {@link SequenceEvaluator} sees between the sequence and
 * the same one with a single decision changed.
 *
 * <p>Where the rest of the step begins is the first step at which a backward node runs or a node runs again.
 *
 * <p><b>Drop</b>: a forward value that is computed once and read in the rest. Its node runs once more, right before the
 * first step of the rest that reads the value. Before it, in the order in which the problem gives them, run those nodes
 * again whose values it needs and that are not in memory at that step, and so on for what these need; a value whose
 * node must not run again is held instead. <b>Keep</b>: a value that is computed more than once. All runs of its node
 * but the first go.
 *
 * <p>Where a value is moved, <b>keep</b> leaves out its transfers, and {@link #instead} tells what dropping it costs:
 * without its transfers, and computed again where the rest first reads it.
 *
 * <p>Then go, last ones first, those runs that were read by something before the change and are not after it, as long
 * as the node runs elsewhere, and transfers of what nothing reads any more. Nothing else moves. A node runs as a whole:
 * its other results follow.
 */
public final class Prices {
    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final SequenceEvaluation chosen;
    private final SequenceRuns runs;
    private final boolean moves;
    private final boolean[] moved;
    private final Overwrites overwrites;

    private Prices(RematProblem problem, OperatorSequence sequence, SequenceEvaluation chosen) {
        this.problem = problem;
        this.sequence = sequence;
        this.chosen = chosen;
        this.runs = SequenceRuns.of(problem, sequence);
        this.moves = sequence.movesValues();
        this.moved = new boolean[problem.valueCount()];
        for (int t = 0; t < sequence.length(); t++) {
            if (!sequence.runs(t)) {
                moved[movedValue(sequence.node(t))] = true;
            }
        }
        this.overwrites = Overwrites.of(problem);
    }

    private static int movedValue(int code) {
        return switch (SequenceStep.of(code)) {
            case SequenceStep.Run run -> throw new IllegalArgumentException(run + " is no transfer");
            case SequenceStep.Store store -> store.value();
            case SequenceStep.Await await -> await.value();
            case SequenceStep.Fetch fetch -> fetch.value();
        };
    }

    /** @param chosen what the evaluator says of the sequence, which is valid */
    public static Prices of(RematProblem problem, OperatorSequence sequence, SequenceEvaluation chosen) {
        return new Prices(problem, sequence, chosen);
    }

    /** Whether the sequence moves values. */
    boolean moves() {
        return moves;
    }

    public SequenceRuns runs() {
        return runs;
    }

    /** The decision that the sequence takes about a value, were it another; empty where it takes none. */
    public Optional<Change> change(int value) {
        int producer = problem.producer(value);
        if (problem.resident(value) || problem.residentNode(producer)) {
            return Optional.empty();
        }
        if (runs.count(producer) > 1 || moved[value]) {
            return Optional.of(Change.KEEP);
        }
        return isReadInRest(value) ? Optional.of(Change.DROP) : Optional.empty();
    }

    private boolean isReadInRest(int value) {
        int producer = problem.producer(value);
        return problem.role(producer) == Role.FORWARD
                && runs.firstReadInRest(runs.step(producer, 0), value) != SequenceRuns.NEVER;
    }

    /**
     * What it would be worth to decide otherwise about a value, in time proportional to the edges of all steps.
     *
     * @return empty where the sequence decides nothing about the value, and where it moves values and is none with that
     *     change alone
     */
    public Optional<Price> of(int value) {
        return change(value).flatMap(change -> switch (change) {
            case DROP -> drop(value);
            case KEEP -> keep(value);
        });
    }

    /** What it would be worth to compute a value again that is moved and computed once; empty for any other. */
    public Optional<Price> instead(int value) {
        int producer = problem.producer(value);
        boolean once = !problem.residentNode(producer) && runs.count(producer) == 1;
        return moved[value] && once && isReadInRest(value) ? drop(value) : Optional.empty();
    }

    private Optional<Price> drop(int value) {
        int node = problem.producer(value);
        int at = runs.firstReadInRest(runs.step(node, 0), value);
        if (problem.once(node)) {
            return Optional.of(new Price.Fixed(Change.DROP, Obstacle.RUNS_ONCE));
        }
        if (problem.pin(node).isKept()) {
            return Optional.of(new Price.Fixed(Change.DROP, Obstacle.PIN));
        }
        if (problem.output(value)) {
            return Optional.of(new Price.Fixed(Change.DROP, Obstacle.OUTPUT));
        }
        if (!mayRunAgain(node, at)) {
            return Optional.of(new Price.Fixed(Change.DROP, Obstacle.OVERWRITTEN));
        }
        int[] added = chain(node, at);
        IntList steps = new IntList();
        for (int t = 0; t < sequence.length(); t++) {
            for (int i = 0; t == at && i < added.length; i++) {
                steps.add(SequenceRuns.NEVER);
            }
            if (!moves(t, value)) {
                steps.add(t);
            }
        }
        return price(Change.DROP, steps, added);
    }

    private Optional<Price> keep(int value) {
        int node = problem.producer(value);
        if (problem.pin(node) == Pin.RECOMPUTE) {
            return Optional.of(new Price.Fixed(Change.KEEP, Obstacle.PIN));
        }
        IntList steps = new IntList();
        for (int t = 0; t < sequence.length(); t++) {
            if ((sequence.node(t) != node || t == runs.step(node, 0)) && !moves(t, value)) {
                steps.add(t);
            }
        }
        return price(Change.KEEP, steps, new int[0]);
    }

    private boolean moves(int step, int value) {
        return !sequence.runs(step) && movedValue(sequence.node(step)) == value;
    }

    /** The node after all that has to run again so that it can run again right before {@code step}. */
    private int[] chain(int node, int step) {
        PriorityQueue<Integer> latestFirst = new PriorityQueue<>((a, b) -> Integer.compare(b, a));
        IntList reversed = new IntList();
        latestFirst.add(node);
        while (!latestFirst.isEmpty()) {
            int next = latestFirst.remove();
            if (reversed.size() > 0 && reversed.get(reversed.size() - 1) == next) {
                continue;
            }
            reversed.add(next);
            for (int k = 0; k < problem.inputCount(next); k++) {
                int producer = problem.producer(problem.input(next, k));
                if (!problem.residentNode(producer) && mustRunAgain(problem.input(next, k), step)) {
                    latestFirst.add(producer);
                }
            }
        }
        return reversed.reversed().toArray();
    }

    /** Whether a node that runs again right before {@code step} finds a value it reads only if that is made anew. */
    private boolean mustRunAgain(int value, int step) {
        int producer = problem.producer(value);
        int before = runs.countBefore(producer, step);
        boolean first = problem.pin(producer) == Pin.RECOMPUTE && before == 1;
        boolean inMemory = runs.lastRead(runs.step(producer, before - 1), value) >= step;
        return (!inMemory || first) && mayRunAgain(producer, step);
    }

    private boolean mayRunAgain(int node, int step) {
        boolean may = !problem.once(node) && !problem.pin(node).isKept();
        for (int k = 0; may && k < problem.inputCount(node); k++) {
            int writer = overwrites.overwriter(problem.input(node, k));
            may = writer == Overwrites.NONE || runs.step(writer, 0) >= step;
        }
        return may;
    }

    /**
     * @param kept steps of the sequence, with {@link SequenceRuns#NEVER} for each of {@code added}
     */
    private Optional<Price> price(Change change, IntList kept, int[] added) {
        int length = kept.size();
        int[] nodes = new int[length];
        int next = 0;
        for (int i = 0; i < length; i++) {
            nodes[i] = kept.get(i) == SequenceRuns.NEVER ? added[next++] : sequence.node(kept.get(i));
        }
        boolean[] goes = unread(nodes, kept);
        IntList steps = new IntList();
        for (int i = 0; i < length; i++) {
            if (!goes[i]) {
                steps.add(nodes[i]);
            }
        }
        OperatorSequence changed = new OperatorSequence(sequence.strategy(), steps.toArray(), List.of());
        SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, changed);
        if (!evaluation.valid()) {
            return moves ? Optional.empty() : Optional.of(new Price.Fixed(change, Obstacle.OVERWRITTEN));
        }
        List<Integer> more = new ArrayList<>();
        for (int node : added) {
            more.add(node);
        }
        return Optional.of(new Price.Changed(
                change,
                evaluation.cost() - chosen.cost(),
                evaluation.peakBytes() - chosen.peakBytes(),
                more,
                removed(kept, goes)));
    }

    /** Which runs and transfers nothing needs any more, from the last to the first. */
    private boolean[] unread(int[] nodes, IntList kept) {
        boolean[] wanted = new boolean[problem.valueCount()];
        int[] left = new int[problem.nodeCount()];
        for (int v : problem.outputs()) {
            wanted[v] = true;
        }
        for (int node : nodes) {
            if (node >= 0) {
                left[node]++;
            }
        }
        boolean[] goes = new boolean[nodes.length];
        boolean[] runsLater = new boolean[problem.nodeCount()];
        UnreadTransfers transfers = new UnreadTransfers(problem, wanted, goes);
        for (int i = nodes.length - 1; i >= 0; i--) {
            int node = nodes[i];
            if (node < 0) {
                transfers.pass(i, SequenceStep.of(node));
                continue;
            }
            left[node]--;
            boolean needed = false;
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                needed |= wanted[v];
                wanted[v] = false;
            }
            boolean wasRead = kept.get(i) == SequenceRuns.NEVER || runs.isRead(kept.get(i));
            boolean elsewhere = left[node] > 0 || runsLater[node] && problem.pin(node) != Pin.RECOMPUTE;
            goes[i] = !needed && wasRead && elsewhere;
            if (!goes[i]) {
                runsLater[node] = true;
                for (int k = 0; k < problem.inputCount(node); k++) {
                    wanted[problem.input(node, k)] = true;
                }
            }
        }
        return goes;
    }

    private List<Integer> removed(IntList kept, boolean[] goes) {
        boolean[] stays = new boolean[sequence.length()];
        for (int i = 0; i < goes.length; i++) {
            if (kept.get(i) != SequenceRuns.NEVER) {
                stays[kept.get(i)] = !goes[i];
            }
        }
        List<Integer> removed = new ArrayList<>();
        for (int t = 0; t < stays.length; t++) {
            if (!stays[t] && sequence.runs(t)) {
                removed.add(sequence.node(t));
            }
        }
        return removed;
    }
}
