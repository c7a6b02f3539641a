package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A model cut into shards that take turns on the device, as FairScale's OffloadModel has it (FairScale authors, 2021):
 * the forward is cut so that each shard reads as many bytes of parameters for the first time, or makes as many bytes
 * where there are no parameters. Activations that a later shard reads wait below for the backward; all others are
 * computed again there, shard by shard. What lives below comes for the turn of a shard and leaves with it.
 *
 * <p>A budget decides when transfers are issued, and not what is moved. Without tiers, activations between shards stay.
 *
 * @param count number of shards, at least 1; fewer where the forward cannot be cut so often
 */
public record Shards(int count) implements Planner {
    public static final String PREFIX = "shards=";

    public Shards {
        if (count < 1) {
            throw new IllegalArgumentException("a model has at least one shard, not " + count);
        }
    }

    @Override
    public String name() {
        return PREFIX + count;
    }

    @Override
    public boolean movesValues() {
        return true;
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        StorageGaps gaps = StorageGaps.of(problem);
        LabelledRuns runs = new LabelledRuns(problem, gaps);
        if (!runs.follow(gaps.keepAll())) {
            return OnTiers.plan(new KeepAll(), problem, options);
        }
        int[] turns = turns(problem);
        boolean[] handedOn = handedOn(problem, turns);
        List<Integer> leaving = IntStream.range(0, gaps.count())
                .filter(gap -> gaps.open(gap) && leaves(problem, gaps, gap, turns))
                .boxed()
                .toList();
        List<Integer> possible = Offload.possible(leaving, some -> runs.follow(labels(problem, gaps, some, handedOn)));
        runs.follow(labels(problem, gaps, possible, handedOn));
        return new PlaceTransfers(problem, runs, options.budgetBytes().orElse(0)).sequence(name());
    }

    /** Per node: when its shard has its turn. The forward has one for each shard, the backward in reverse as many. */
    private int[] turns(RematProblem problem) {
        long[] parameters = parametersBefore(problem);
        long[] before = parameters[problem.nodeCount()] > 0 ? parameters : madeBefore(problem);
        double all = Math.max(1, before[problem.nodeCount()]);
        int[] turns = new int[problem.nodeCount()];
        int backward = count;
        for (int n = 0; n < turns.length; n++) {
            if (problem.residentNode(n)) {
                continue;
            }
            if (problem.role(n) == Role.FORWARD) {
                turns[n] = (int) Math.min(count - 1, before[n] / all * count);
            } else {
                backward = Math.max(backward, 2 * count - 1 - lastShardRead(problem, n, turns));
                turns[n] = backward;
            }
        }
        return turns;
    }

    /** The last shard that made what the node reads; the last of all where it reads nothing of the forward. */
    private int lastShardRead(RematProblem problem, int node, int[] turns) {
        return IntStream.range(0, problem.inputCount(node))
                .map(k -> problem.producer(problem.input(node, k)))
                .filter(producer -> !problem.residentNode(producer) && problem.role(producer) == Role.FORWARD)
                .map(producer -> turns[producer])
                .max()
                .orElse(count - 1);
    }

    /**
     * Per node, and at the end: bytes of the parameters that the forward has read in front of it. These are what lives
     * below; where nothing does, all residents.
     */
    private static long[] parametersBefore(RematProblem problem) {
        boolean below = IntStream.range(0, problem.valueCount()).anyMatch(v -> livesBelow(problem, v));
        boolean[] read = new boolean[problem.valueCount()];
        long[] before = new long[problem.nodeCount() + 1];
        for (int n = 0; n < problem.nodeCount(); n++) {
            before[n + 1] = before[n];
            for (int k = 0; k < problem.inputCount(n) && problem.role(n) == Role.FORWARD; k++) {
                int v = problem.storage(problem.input(n, k));
                if (problem.resident(v) && !read[v] && livesBelow(problem, v) == below) {
                    read[v] = true;
                    before[n + 1] += problem.bytes(v);
                }
            }
        }
        return before;
    }

    /** Per node, and at the end: bytes that the forward has made in front of it. */
    private static long[] madeBefore(RematProblem problem) {
        long[] before = new long[problem.nodeCount() + 1];
        for (int n = 0; n < problem.nodeCount(); n++) {
            before[n + 1] = before[n];
            boolean makes = problem.role(n) == Role.FORWARD && !problem.residentNode(n);
            for (int v = problem.firstResult(n); makes && v < problem.endResult(n); v++) {
                before[n + 1] += problem.bytes(v);
            }
        }
        return before;
    }

    /** Per storage: whether the forward reads it in the turn of a later shard than that which made it. */
    private static boolean[] handedOn(RematProblem problem, int[] turns) {
        StorageReads reads = StorageReads.of(problem);
        boolean[] handedOn = new boolean[problem.valueCount()];
        for (int v = 0; v < handedOn.length; v++) {
            int producer = problem.producer(v);
            boolean made = problem.storage(v) == v && !problem.resident(v) && problem.role(producer) == Role.FORWARD;
            for (int n = producer; made && n < problem.nodeCount(); n = reads.next(v, n)) {
                handedOn[v] |= problem.role(n) == Role.FORWARD && turns[n] > turns[producer];
            }
        }
        return handedOn;
    }

    private static boolean leaves(RematProblem problem, StorageGaps gaps, int gap, int[] turns) {
        int from = gaps.from(gap);
        int to = gaps.to(gap);
        if (from < 0 || to == problem.nodeCount()) {
            return false;
        }
        return livesBelow(problem, gaps.storage(gap))
                ? turns[from] != turns[to]
                : problem.role(from) == Role.FORWARD && problem.role(to) != Role.FORWARD;
    }

    private static int[] labels(RematProblem problem, StorageGaps gaps, List<Integer> leaving, boolean[] handedOn) {
        int[] labels = gaps.keepAll();
        TierRoom room = TierRoom.besidePins(problem, gaps);
        for (int gap : leaving) {
            int v = gaps.storage(gap);
            if (livesBelow(problem, v) || handedOn[v]) {
                room.tierFor(gaps, gap)
                        .ifPresent(tier -> labels[gap] = StorageGaps.label(StorageGaps.OFFLOAD + tier, true));
            } else if (gaps.allows(gap, StorageGaps.RECOMPUTE)) {
                labels[gap] = StorageGaps.label(StorageGaps.RECOMPUTE, true);
            }
        }
        return labels;
    }

    private static boolean livesBelow(RematProblem problem, int v) {
        return problem.home(v) != ProblemNode.DEVICE;
    }
}
