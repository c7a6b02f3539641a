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
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.TooFewBlocksException;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The ways in which machines may work on one step together, and by which it is fastest within the memory of each. Ways
 * are planned in the order of what they take at least where nothing waits for a link; what takes longer by that than
 * the fastest that was planned is left out.
 *
 * @param rows in the order in which ways were given
 */
public record MachineSweep(List<Row> rows) {
    /** Of a backward pass, what stages in front wait for: the rest are gradients of parameters. */
    private static final double AWAITED = 2 / 3.0;

    /**
     * A way: every rank has all stages, and a machine is a stage of a rank.
     *
     * @param microBatches of all ranks together
     * @param schedule of several stages
     */
    public record Way(int stages, int ranks, int microBatches, Schedule schedule) {
        public int machines() {
            return stages * ranks;
        }

        /**
         * What a step takes at least whose stages take equally long, or as they have to for the fill and drain of a
         * pipeline to be the least, if all it does is computing each micro-batch once.
         *
         * @param cost of a micro-batch
         */
        double least(double cost) {
            double each = microBatches / (double) ranks;
            boolean overlaps = schedule.partsEach() > 1 || schedule.splitsBackward();
            return overlaps ? cost * each / stages : cost * AWAITED / (1 - Math.pow(1 - AWAITED / each, stages));
        }
    }

    /** A way and what came of it. */
    public record Row(Way way, Outcome outcome) {}

    /** What may come of a way. */
    public sealed interface Outcome {
        /**
         * It fits.
         *
         * @param cost of a step
         * @param bubble share of all stages' time in which they compute nothing; 0 of one stage
         * @param largestArena of a machine
         * @param sharding what ranks share of the state
         */
        record Planned(double cost, double bubble, long largestArena, Sharding sharding) implements Outcome {}

        /** @param smallestBytes the smallest plan that was found of a machine that does not fit */
        record Refused(long smallestBytes) implements Outcome {}

        /** The model has fewer calls than parts. */
        record TooFewBlocks(int blocks) implements Outcome {}

        /** @param least what it takes at least, which is more than another takes */
        record Slower(double least) implements Outcome {}

        /** Time was up. */
        record Untried() implements Outcome {}
    }

    public MachineSweep {
        rows = List.copyOf(rows);
    }

    /** The fastest that fits, of equals the first. */
    public Optional<Row> fastest() {
        return rows.stream()
                .filter(row -> row.outcome() instanceof Outcome.Planned)
                .min(Comparator.comparingDouble(row -> ((Outcome.Planned) row.outcome()).cost()));
    }

    /**
     * @param models by the numbers of micro-batches that ways have
     * @param options of a machine, a budget among them
     * @param stages a compiler by {@code compiler}
     * @param link that joins machines, if that is known
     * @param listener ends the sweep when time is up, of which the first way is always planned
     */
    public static MachineSweep run(
            Compiler compiler,
            CompileStages stages,
            SortedMap<Integer, ElaboratedModel> models,
            CompileOptions options,
            List<Way> ways,
            Optional<Link> link,
            SearchListener listener) {
        return new Sweep(compiler, stages, models, options, link, listener).run(ways);
    }

    /** One sweep. */
    private static final class Sweep {
        private final Compiler compiler;
        private final CompileStages staged;
        private final SortedMap<Integer, ElaboratedModel> models;
        private final CompileOptions options;
        private final Optional<Link> link;
        private final SearchListener listener;

        Sweep(
                Compiler compiler,
                CompileStages staged,
                SortedMap<Integer, ElaboratedModel> models,
                CompileOptions options,
                Optional<Link> link,
                SearchListener listener) {
            this.compiler = compiler;
            this.staged = staged;
            this.models = models;
            this.options = options;
            this.link = link;
            this.listener = listener;
        }

        MachineSweep run(List<Way> ways) {
            SortedMap<Integer, Long> costs = new TreeMap<>();
            ways.forEach(way ->
                    costs.computeIfAbsent(way.microBatches(), count -> staged.microBatchCost(models.get(count))));
            double[] least = new double[ways.size()];
            List<Integer> order = new ArrayList<>();
            for (int k = 0; k < least.length; k++) {
                least[k] = ways.get(k).least(costs.get(ways.get(k).microBatches()));
                order.add(k);
            }
            order.sort(Comparator.comparingDouble((Integer k) -> least[k]).thenComparing(Comparator.naturalOrder()));
            Row[] rows = new Row[least.length];
            double best = Double.MAX_VALUE;
            for (int k : order) {
                Outcome outcome = least[k] >= best
                        ? new Outcome.Slower(least[k])
                        : best < Double.MAX_VALUE && listener.expired() ? new Outcome.Untried() : plan(ways.get(k));
                rows[k] = new Row(ways.get(k), outcome);
                best = outcome instanceof Outcome.Planned planned ? Math.min(best, planned.cost()) : best;
            }
            return new MachineSweep(List.of(rows));
        }

        private Outcome plan(Way way) {
            listener.trying("compiling for " + way.stages() + (way.stages() == 1 ? " stage" : " stages") + " on "
                    + way.ranks() + (way.ranks() == 1 ? " rank" : " ranks") + " with " + way.microBatches()
                    + " micro-batches");
            ElaboratedModel model = models.get(way.microBatches());
            CompileOptions asked = way.ranks() == 1 ? options.with(Sharding.NONE) : options.onRanks(way.ranks());
            try {
                return way.stages() == 1 ? whole(model, asked) : cut(model, asked, way);
            } catch (BudgetException e) {
                return new Outcome.Refused(e.smallestFoundBytes());
            } catch (TooFewBlocksException e) {
                return new Outcome.TooFewBlocks(e.blocks());
            }
        }

        private Outcome whole(ElaboratedModel model, CompileOptions asked) {
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

        private Outcome cut(ElaboratedModel model, CompileOptions asked, Way way) {
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
}
