package dev.remat.compiler.sweep;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.choose.ChooseSharding;
import dev.remat.compiler.choose.ChooseStaging;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.pipeline.TooFewBlocksException;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.sweep.MachineSweep.Outcome;
import dev.remat.compiler.sweep.MachineSweep.Way;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.Link;
import java.util.List;
import java.util.Optional;

/** Plans a step for machines that share it. */
public final class PlanWay {
    private final Compiler compiler;
    private final CompileStages staged;
    private final CompileOptions options;
    private final Optional<Link> link;
    private final SearchListener listener;

    /**
     * @param staged by {@code compiler}
     * @param options of a machine, a budget among them
     * @param link that joins machines, if that is known
     * @param listener hears what is tried
     */
    public PlanWay(
            Compiler compiler,
            CompileStages staged,
            CompileOptions options,
            Optional<Link> link,
            SearchListener listener) {
        this.compiler = compiler;
        this.staged = staged;
        this.options = options;
        this.link = link;
        this.listener = listener;
    }

    /** @param model with as many micro-batches */
    public Outcome run(ElaboratedModel model, Way way) {
        try {
            return planned(model, way);
        } catch (BudgetException e) {
            return new Outcome.Refused(e.smallestFoundBytes());
        } catch (TooFewBlocksException e) {
            return new Outcome.TooFewBlocks(e.blocks());
        }
    }

    /**
     * The same of a way that has to fit.
     *
     * @throws BudgetException if no plan of a machine fits
     * @throws TooFewBlocksException if the model cannot be cut into so many parts
     */
    public Outcome.Planned planned(ElaboratedModel model, Way way) {
        listener.trying("compiling for " + way.stages() + (way.stages() == 1 ? " stage" : " stages") + " on "
                + way.ranks() + (way.ranks() == 1 ? " rank" : " ranks") + " with " + way.microBatches()
                + " micro-batches");
        return way.stages() == 1 ? whole(model, asked(way)) : cut(model, asked(way), way);
    }

    /** What a step takes at least, whatever is computed again; 0 if the model cannot be cut so. */
    public long least(ElaboratedModel model, Way way) {
        return staged.leastMakespan(model, way.ranks(), way.stages(), way.schedule());
    }

    /**
     * What the machine needs at least that needs most.
     *
     * @throws TooFewBlocksException if the model cannot be cut into so many parts
     */
    public long floor(ElaboratedModel model, Way way) {
        CompileOptions asked = asked(way);
        List<CompileOptions> levels = asked.shares().level() == Sharding.AUTO
                ? ChooseSharding.LEVELS.stream().map(asked::with).toList()
                : List.of(asked);
        return levels.stream()
                .mapToLong(level -> way.stages() == 1
                        ? compiler.prepare(model, level).floor().bytes()
                        : staged.floor(model, level, new Staging(way.stages(), way.schedule())))
                .min()
                .orElseThrow();
    }

    private CompileOptions asked(Way way) {
        return way.ranks() == 1 ? options.with(Sharding.NONE) : options.onRanks(way.ranks());
    }

    private Outcome.Planned whole(ElaboratedModel model, CompileOptions asked) {
        Compilation plan = ChooseSharding.compile(compiler, model, refusedSoon(model, asked), link);
        double cost = ExchangeTimes.of(PlanAccount.of(plan, link))
                .map(ExchangeTimes::nanos)
                .orElse((double) plan.cost());
        return new Outcome.Planned(
                cost,
                0,
                plan.plan().arenaBytes(),
                plan.step().options().shares().level());
    }

    /** What no plan can meet takes no search to refuse. */
    private CompileOptions refusedSoon(ElaboratedModel model, CompileOptions asked) {
        boolean open = asked.strategy().isEmpty()
                && asked.budgetBytes().isPresent()
                && asked.shares().level() != Sharding.AUTO;
        return open
                        && compiler.prepare(model, asked).floor().bytes()
                                > asked.budgetBytes().getAsLong()
                ? asked.with(new PeakPriority())
                : asked;
    }

    private Outcome.Planned cut(ElaboratedModel model, CompileOptions asked, Way way) {
        StageSet set = ChooseStaging.run(staged, model, asked, way.stages(), Optional.of(way.schedule()), link)
                .chosen();
        SetTimes times = set.times(link);
        long largest = set.plans().stages().stream()
                .mapToLong(ExecutionPlan::arenaBytes)
                .max()
                .orElseThrow();
        return new Outcome.Planned(times.makespan(), times.bubble(), largest, set.sharding());
    }
}
