package dev.remat.compiler;

import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.chunk.CutChunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.compiler.search.Request;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Chooses into how many chunks losses are cut within a budget: by the price of a step, recomputation and all. Nothing
 * is looked at where there is no budget or where all fits as it is, and nothing is cut whose logits are too small to
 * matter or that saves less than a hundredth of the step.
 *
 * <p>More chunks need less memory and launch smaller kernels more often, so that their steps cost more where nothing is
 * recomputed. That bounds what any plan of a number costs, and numbers are looked at in ascending order.
 */
public final class ChooseChunks {
    private static final List<Integer> COUNTS = List.of(2, 4, 8, 16);
    /** Share of the budget that logits and their gradient have at least, to be worth a look. */
    private static final double WORTH_A_LOOK = 0.05;
    /** Share of the cost of a step that is not cut by which one that is has to be cheaper. */
    private static final double WORTH_A_CUT = 0.01;
    /** Follows a budget byte by byte, at once. */
    private static final String QUICKEST = "peak-priority";

    private final Compiler compiler;
    private final SearchListener listener;

    /** @param listener hears what is tried */
    ChooseChunks(Compiler compiler, SearchListener listener) {
        this.compiler = compiler;
        this.listener = listener;
    }

    /** Whether there is anything to choose for a step of this model. */
    static boolean isAsked(ElaboratedModel model, CompileOptions options) {
        return options.chunks().equals(Chunks.AUTO)
                && options.budget().isPresent()
                && model.purpose() != Purpose.EVALUATE;
    }

    /**
     * Whether a loss of a step can be cut, or is as it is written.
     *
     * @param graph of the section that is planned, before losses are cut
     */
    static boolean mayCut(Graph graph, TargetModel target) {
        Chunks fewest = Chunks.wherePossible(COUNTS.getFirst());
        return !CutChunks.run(graph, fewest, target).losses().isEmpty();
    }

    /** What a number of chunks comes to: a cost, or bytes that are too many. */
    private record Tried(Chunks chunks, OptionalLong cost, long bytes) {}

    /** The options with the number in the place of the question, and a share of memory as bytes. */
    CompileOptions run(ElaboratedModel model, CompileOptions asked) {
        CompileOptions options = asked.with(Chunks.AS_WRITTEN);
        CompileOptions unseen = options.quick();
        PreparedStep whole = compiler.prepare(model, unseen);
        if (!whole.chunked().isEmpty()) {
            return options;
        }
        long kept = compiler.keepAll(whole).bytes();
        long budget = asked.budget().get().bytes(kept);
        CompileOptions within = options.with(new Budget.Bytes(budget));
        Optional<PreparedStep> some = kept <= budget ? Optional.empty() : cut(model, unseen, COUNTS.getFirst());
        boolean tooLarge = whole.floor().bytes() > budget;
        if (some.isEmpty() || !tooLarge && !isWorthALook(some.get(), budget)) {
            return within;
        }
        // The fewest chunks are looked at beside the whole, whether they may be best or not.
        List<Chunks> first = List.of(Chunks.AS_WRITTEN, Chunks.wherePossible(COUNTS.getFirst()));
        List<Tried> both = ParallelMap.run(
                first, chunks -> tried(chunks.equals(Chunks.AS_WRITTEN) ? whole : some.get(), chunks, budget));
        List<Tried> tried = new ArrayList<>(both.subList(0, 1));
        int before = 1;
        for (int count : COUNTS) {
            boolean fewest = count == COUNTS.getFirst();
            PreparedStep step = (fewest ? some : cut(model, unseen, count)).orElseThrow();
            int chunks =
                    step.chunked().stream().mapToInt(ChunkedLoss::count).max().orElseThrow();
            if (chunks == before || listener.expired() || !mayBeBest(step, tried)) {
                break;
            }
            before = chunks;
            listener.trying("computing the loss in " + chunks + " chunks");
            tried.add(fewest ? both.getLast() : tried(step, Chunks.wherePossible(count), budget));
        }
        return within.with(best(tried).chunks);
    }

    /** Empty if no loss is. */
    private Optional<PreparedStep> cut(ElaboratedModel model, CompileOptions options, int count) {
        return Optional.of(compiler.prepare(model, options.with(Chunks.wherePossible(count))))
                .filter(step -> !step.chunked().isEmpty());
    }

    /** Whether logits that a step has in chunks and their gradient are so large that it may matter to a budget. */
    public static boolean isWorthALook(PreparedStep step, long budget) {
        long logits = step.chunked().stream().mapToLong(ChunkedLoss::wholeBytes).sum();
        return logits > 0 && 2 * logits >= WORTH_A_LOOK * budget;
    }

    /** Every number that is looked at, in ascending order. */
    public static List<Integer> counts() {
        return COUNTS;
    }

    /** Whether a step may cost less than the best so far, which it does not if it does without recomputation. */
    private boolean mayBeBest(PreparedStep step, List<Tried> tried) {
        long least = step.cost(compiler.subject(step)
                .propose(new KeepAll(), PlannerOptions.none())
                .evaluation()
                .cost());
        Tried best = best(tried);
        return best.cost.isEmpty() || least < best.cost.getAsLong();
    }

    private Tried tried(PreparedStep step, Chunks chunks, long budget) {
        long floor = step.floor().bytes();
        if (floor > budget) {
            return new Tried(chunks, OptionalLong.empty(), floor);
        }
        boolean moves = !step.planning().problem().tiers().isEmpty();
        Planner planner =
                step.options().strategy().orElseGet(() -> moves ? Strategies.auto() : Strategies.named(QUICKEST));
        try {
            RealizedPlan plan = compiler.compile(
                            step.with(step.options().withBudget(budget)),
                            Request.unproven(planner, OptionalLong.of(budget)))
                    .search()
                    .plan();
            return new Tried(chunks, OptionalLong.of(step.cost(plan.evaluation().cost())), plan.bytes());
        } catch (BudgetException e) {
            return new Tried(chunks, OptionalLong.empty(), e.smallestFoundBytes());
        } catch (PlaceBudgetException e) {
            return new Tried(chunks, OptionalLong.empty(), e.planBytes());
        }
    }

    /** The cheapest that fits, the whole first; where none does, the one that needs least. */
    private static Tried best(List<Tried> tried) {
        Tried best = tried.getFirst();
        for (Tried each : tried) {
            best = isBetter(each, best, best.equals(tried.getFirst()) ? WORTH_A_CUT : 0) ? each : best;
        }
        return best;
    }

    private static boolean isBetter(Tried one, Tried best, double margin) {
        if (one.cost.isEmpty() || best.cost.isEmpty()) {
            return one.cost.isPresent() || best.cost.isEmpty() && one.bytes < best.bytes;
        }
        return one.cost.getAsLong() < (1 - margin) * best.cost.getAsLong();
    }
}
