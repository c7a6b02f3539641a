package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Local search on labels: which storage is kept, computed again or offloaded in which gap. See {@link LabelSearch} for
 * how it goes. The amount of work follows from the number of nodes, and chance from fixed seeds.
 */
public final class AnnealLabels implements Planner {
    private static final String NAME = "anneal-labels";
    /** Runs looked at for each node, beyond which a walk would come by the same labels again. */
    private static final long MOST_A_NODE = 50_000;

    private static final long QUICK_WORK = 2_000_000;
    private static final long FULL_WORK = 8_000_000;
    private static final long LARGE_WORK = 40_000_000;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean movesValues() {
        return true;
    }

    /** Starts from {@link PeakPriority} and from keeping all; without a budget offloads what it may. */
    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        if (problem.tiers().isEmpty()) {
            return new PeakPriority().plan(problem, options);
        }
        return options.budgetBytes().isEmpty()
                ? Offload.everything().plan(problem, options)
                : improve(problem, List.of(OnTiers.plan(new PeakPriority(), problem, options)), options);
    }

    /** The best of all that the search finds and of where it starts: these sequences, and keeping all. */
    public static OperatorSequence improve(
            RematProblem problem, List<OperatorSequence> starts, PlannerOptions options) {
        StorageGaps gaps = StorageGaps.of(problem);
        List<int[]> labels = new ArrayList<>(List.of(gaps.keepAll()));
        labels.removeIf(kept -> !LabelSearch.possible(problem, gaps, kept));
        BestSequence best = new BestSequence(problem, options);
        best.offer(OnTiers.plan(new KeepAll(), problem, options));
        for (OperatorSequence start : starts) {
            best.offer(start);
            int[] ofStart = LabelsOfSequence.of(problem, gaps, start);
            if (LabelSearch.possible(problem, gaps, ofStart)) {
                labels.add(ofStart);
            }
        }
        int seeds = options.effort() == Effort.FULL ? 2 : 1;
        List<LabelSearch> searches = IntStream.range(0, seeds * labels.size())
                .parallel()
                .mapToObj(i -> walked(problem, gaps, labels.get(i % labels.size()), i, options))
                .toList();
        searches.stream()
                .filter(LabelSearch::keepsWithinTiers)
                .map(search -> search.sequence(NAME))
                .forEach(best::offer);
        return best.sequence();
    }

    private static LabelSearch walked(
            RematProblem problem, StorageGaps gaps, int[] start, long seed, PlannerOptions options) {
        LabelSearch search = new LabelSearch(problem, gaps, start, options);
        boolean quick = options.effort() != Effort.FULL;
        boolean large = problem.nodeCount() > SearchLimits.ASKED_AROUND;
        long most = problem.nodeCount() * (quick ? MOST_A_NODE / 4 : 4 * MOST_A_NODE);
        long work = Math.min(most, quick ? QUICK_WORK : large ? LARGE_WORK : FULL_WORK);
        search.walk(new LabelSearch.Walk(work, 2, 0.002, seed + 1));
        if (!quick) {
            search.walk(new LabelSearch.Walk(work / 2, 0.5, 0.002, seed + 101));
            search.walk(new LabelSearch.Walk(work / 2, 0.2, 0.001, seed + 201));
        }
        return search;
    }
}
