package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.WorkBound;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Strategies that move values and compute none again, but for what pins ask for: with a budget as many as it takes,
 * those first that are idle for most bytes and time; without one all that they may. The first tier takes as much as it
 * holds, then the next.
 */
public final class Offload implements Planner {
    /** Where time is short, values are moved in so many parts. */
    private static final int FEW_PARTS = 8;

    private final String name;
    private final Choice choice;

    /** Which of the gaps that may be offloaded are. */
    private interface Choice {
        IntPredicate of(RematProblem problem, StorageGaps gaps);
    }

    private Offload(String name, Choice choice) {
        this.name = name;
        this.choice = choice;
    }

    /** Whatever is idle longer than it takes to store and fetch it (after SwapAdvisor, Huang et al., 2020). */
    public static Offload everything() {
        return new Offload("offload", (problem, gaps) -> {
            long[] before = costBefore(problem);
            return gap -> {
                long idle = before[Math.max(0, gaps.to(gap))] - before[gaps.from(gap) + 1];
                long bytes = problem.bytes(gaps.storage(gap));
                return gaps.to(gap) < problem.nodeCount()
                        && problem.tiers().stream()
                                .anyMatch(tier -> idle > tier.storeNanos(bytes) + tier.fetchNanos(bytes));
            };
        });
    }

    /** What the forward leaves for the backward, as PyTorch's save_on_cpu and FairScale's offloaded checkpoints do. */
    public static Offload activations() {
        // By what nodes are, not by where they stand: layer by layer, the last forward nodes stand behind the first
        // others.
        return new Offload(
                "offload-activations",
                (problem, gaps) -> gap -> gaps.from(gap) >= 0
                        && gaps.to(gap) < problem.nodeCount()
                        && problem.role(gaps.from(gap)) == Role.FORWARD
                        && problem.role(gaps.to(gap)) != Role.FORWARD);
    }

    /** What lives below, such as parameters and optimizer state, after each use (ZeRO-Offload, Ren et al., 2021). */
    public static Offload state() {
        return new Offload(
                "offload-state",
                (problem, gaps) -> gap ->
                        problem.home(gaps.storage(gap)) != ProblemNode.DEVICE && gaps.to(gap) < problem.nodeCount());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean movesValues() {
        return true;
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        long budget = options.budgetBytes().orElse(Long.MAX_VALUE / 4);
        StorageGaps gaps = StorageGaps.of(problem);
        LabelledRuns runs = new LabelledRuns(problem, gaps);
        PlaceTransfers places =
                new PlaceTransfers(problem, runs, options.budgetBytes().isPresent() ? budget : 0);
        if (!runs.follow(gaps.keepAll())) {
            return OnTiers.plan(new KeepAll(), problem, options);
        }
        List<Integer> chosen = possible(chosen(problem, gaps), moved -> runs.follow(labels(problem, gaps, moved)));
        // Moving one more value never takes more, so that the fewest are found by halving; nearly so where time is
        // short.
        int low = 0;
        int high = chosen.size();
        int least = WorkBound.applies(problem, options) ? high / FEW_PARTS : 0;
        while (high - low > least && options.budgetBytes().isPresent()) {
            int middle = (low + high) / 2;
            runs.follow(labels(problem, gaps, chosen.subList(0, middle)));
            places.place();
            if (places.excess() <= 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        runs.follow(labels(problem, gaps, chosen.subList(0, high)));
        places.place();
        return places.sequence(name);
    }

    /** All that can be offloaded together: what a view shows stays where the view may not run again. */
    static List<Integer> possible(List<Integer> chosen, Predicate<List<Integer>> followed) {
        if (followed.test(chosen)) {
            return chosen;
        }
        List<Integer> possible = new ArrayList<>();
        for (int gap : chosen) {
            possible.add(gap);
            if (!followed.test(possible)) {
                possible.removeLast();
            }
        }
        return possible;
    }

    /** With these gaps offloaded and all others as they are where nothing is. */
    private static int[] labels(RematProblem problem, StorageGaps gaps, List<Integer> offloaded) {
        int[] labels = gaps.keepAll();
        TierRoom room = TierRoom.besidePins(problem, gaps);
        for (int gap : offloaded) {
            room.tierFor(gaps, gap)
                    .ifPresent(tier -> labels[gap] = StorageGaps.label(StorageGaps.OFFLOAD + tier, true));
        }
        return labels;
    }

    private List<Integer> chosen(RematProblem problem, StorageGaps gaps) {
        long[] before = costBefore(problem);
        IntPredicate of = choice.of(problem, gaps);
        return IntStream.range(0, gaps.count())
                .filter(gap -> gaps.open(gap) && of.test(gap))
                .boxed()
                .sorted(Comparator.comparingDouble((Integer gap) -> -(double) problem.bytes(gaps.storage(gap))
                                * (before[gaps.to(gap)] - before[gaps.from(gap) + 1]))
                        .thenComparing(gap -> gap))
                .toList();
    }

    /** Per node, and at the end: cost of the nodes in front of it. */
    private static long[] costBefore(RematProblem problem) {
        long[] before = new long[problem.nodeCount() + 1];
        for (int n = 0; n < problem.nodeCount(); n++) {
            before[n + 1] = before[n] + problem.cost(n);
        }
        return before;
    }
}
