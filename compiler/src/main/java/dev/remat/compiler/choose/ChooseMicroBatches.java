package dev.remat.compiler.choose;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.batch.Divisors;
import dev.remat.compiler.choose.MicroBatchAlternative.Outcome;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.compiler.search.Request;
import dev.remat.compiler.split.BatchRows;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Takes the number of micro-batches whose step is the fastest within a budget: few that recompute much, or many that
 * recompute nothing. Numbers that share the rows evenly are planned in ascending order, each by a quick search.
 *
 * <p>More pieces make smaller kernels, started more often, so that costs without recomputation mostly grow with the
 * number. They bound what any plan of it costs: the search ends at the first number that costs more without
 * recomputation than the best plan so far. One number beyond the first that fits as it is is always looked at, because
 * times that were measured may fall where smaller kernels fit a cache.
 */
public final class ChooseMicroBatches {
    private final ModelSession model;
    private final Purpose purpose;
    private final CompileOptions options;
    private final Compiler compiler;
    private final SearchListener listener;
    private final List<MicroBatchAlternative> alternatives = new ArrayList<>();
    /** Cost of the best step that fits. */
    private OptionalLong best = OptionalLong.empty();

    private int taken = 1;
    private Optional<PreparedStep> step = Optional.empty();
    /** Bytes that the number which was taken is known to need, while none fits. */
    private long nearest = Long.MAX_VALUE;

    private ChooseMicroBatches(
            ModelSession model, Purpose purpose, CompileOptions options, Compiler compiler, SearchListener listener) {
        this.model = model;
        this.purpose = purpose;
        this.options = options.with(Effort.QUICK);
        this.compiler = compiler;
        this.listener = listener;
    }

    /**
     * Chooses; without a budget nothing is cut.
     *
     * @param options with the budget, of which a share is one of what keeping all of the whole batch takes
     * @param listener hears what is tried, beside what the compiler's own is told
     * @throws ModelException if the model is wrong though it is not cut
     */
    public static MicroBatchChoice run(
            ModelSession model, Purpose purpose, CompileOptions options, Compiler compiler, SearchListener listener) {
        return new ChooseMicroBatches(model, purpose, options, compiler, listener).run();
    }

    private MicroBatchChoice run() {
        ElaboratedModel whole = model.cutInto(1).step(purpose);
        if (options.budget().isEmpty()) {
            return new MicroBatchChoice(1, Long.MAX_VALUE, List.of(), Optional.empty());
        }
        PreparedStep first = compiler.prepare(whole, options);
        long budget = first.options()
                .budgetBytes()
                .orElseGet(() -> options.budget()
                        .get()
                        .bytes(compiler.search(first).keepAll().bytes()));
        long rows = BatchRows.of(whole.forward()).number();
        for (long count : Divisors.of(rows)) {
            boolean late = !alternatives.isEmpty() && listener.expired();
            if (late || count > Integer.MAX_VALUE || !goesOn(Math.toIntExact(count), rows / count, first, budget)) {
                break;
            }
        }
        return new MicroBatchChoice(taken, budget, alternatives, step);
    }

    /** Looks at one number; false if greater ones cannot be better. */
    private boolean goesOn(int count, long rows, PreparedStep first, long budget) {
        listener.trying("cutting into " + count + (count == 1 ? " part" : " micro-batches"));
        PreparedStep cut;
        try {
            cut = count == 1 ? first : compiler.prepare(model.cutInto(count).step(purpose), options.withBudget(budget));
        } catch (ModelException e) {
            Diagnostic why = e.diagnostics().getFirst();
            alternatives.add(new MicroBatchAlternative(count, rows, new Outcome.Refused(why)));
            return false;
        }
        Outcome outcome = outcome(cut, budget);
        alternatives.add(new MicroBatchAlternative(count, rows, outcome));
        return switch (outcome) {
            case Outcome.Planned planned -> {
                if (best.isEmpty() || planned.cost() < best.getAsLong()) {
                    best = OptionalLong.of(planned.cost());
                    take(count, cut);
                }
                yield true;
            }
            case Outcome.Slower _ -> false;
            case Outcome.Impossible(var floor) -> {
                takeIfNearer(count, cut, floor.bytes());
                yield true;
            }
            case Outcome.NotFound(long smallest) -> {
                takeIfNearer(count, cut, smallest);
                yield true;
            }
            case Outcome.Refused _ -> false;
        };
    }

    private void takeIfNearer(int count, PreparedStep of, long bytes) {
        if (best.isEmpty() && bytes < nearest) {
            nearest = bytes;
            take(count, of);
        }
    }

    private void take(int count, PreparedStep of) {
        taken = count;
        step = Optional.of(of);
    }

    private Outcome outcome(PreparedStep step, long budget) {
        if (step.floor().bytes() > budget) {
            return new Outcome.Impossible(step.floor());
        }
        long kept = compiler.subject(step)
                .propose(new KeepAll(), PlannerOptions.none())
                .evaluation()
                .cost();
        long least = step.cost(kept);
        if (best.isPresent() && least >= best.getAsLong()) {
            return new Outcome.Slower(least);
        }
        Request request = Request.unproven(options.strategy().orElseGet(Strategies::auto), OptionalLong.of(budget));
        try {
            RealizedPlan plan = compiler.compile(step.with(options.withBudget(budget)), request)
                    .search()
                    .plan();
            return new Outcome.Planned(
                    plan.bytes(),
                    step.cost(plan.evaluation().cost()),
                    step.overhead(plan.evaluation().cost()));
        } catch (BudgetException e) {
            return new Outcome.NotFound(e.smallestFoundBytes());
        } catch (PlaceBudgetException e) {
            return new Outcome.NotFound(e.planBytes());
        }
    }
}
