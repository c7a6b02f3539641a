package dev.remat.cli.check;

import dev.remat.cli.check.PlanFinding.Outcome;
import dev.remat.cli.check.PlanFinding.Work;
import dev.remat.cli.console.Progress;
import dev.remat.cli.device.Device;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.Request;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.graph.Node;
import dev.remat.runtime.Executable;
import dev.remat.runtime.check.PlanTrial;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.lane.Places;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Trains a few steps by many plans of one model, freed memory overwritten, and compares bits with the plan that keeps
 * everything. Every plan's arena is proven by running the plan over tagged bytes as it is compiled. Plans that are the
 * same step by step run once.
 */
public final class CheckPlans {
    /** Shares of what recomputing can save that budgets leave, the smallest plan last. */
    private static final double[] SHARES = {0.75, 0.5, 0.25, 0};

    private static final String KEEP_ALL = "keep-all";

    private final Device device;
    private final Places places;
    private final Compiler compiler;
    private final PreparedStep step;
    private final Dataset data;
    private final int steps;
    private final Progress progress;
    private final List<PlanFinding> findings = new ArrayList<>();
    private final Map<String, String> nameByPlan = new LinkedHashMap<>();
    private Optional<PlanTrial> reference = Optional.empty();
    /** Whether the user named the budgets. */
    private boolean asked;
    /** Why plans did not fit them, where others may. */
    private final List<BudgetException> refusals = new ArrayList<>();
    /** Bytes of the plan that keeps everything. */
    private long most;
    /** Budgets that plans were made for. */
    private final TreeSet<Long> limits = new TreeSet<>();

    private CheckPlans(
            Compiler compiler,
            PreparedStep step,
            Device device,
            Places places,
            Dataset data,
            int steps,
            Progress progress) {
        this.compiler = compiler;
        this.step = step;
        this.device = device;
        this.places = places;
        this.data = data;
        this.steps = steps;
        this.progress = progress;
    }

    /**
     * Checks.
     *
     * @param compiler for the device
     * @param prepared the step on one number of ranks after another, its losses cut in several ways; all are held
     *     against the first
     * @param cutByBudget a model whose losses are also to be cut as is best within each budget of the first step
     * @param strategies to try without a budget and with each; if there are none, all without one and {@code auto} with
     *     each
     * @param budgets if there are none, the smallest plan found and three between it and the one that keeps everything
     * @return of the plan that keeps everything, then of others
     * @param places where plans find what they move tensors to, if the options name any
     * @throws BudgetException if no plan fits a budget that is given; where losses are cut in several ways, if none of
     *     them does
     */
    public static List<PlanFinding> run(
            Compiler compiler,
            List<PreparedStep> prepared,
            Optional<ElaboratedModel> cutByBudget,
            List<Planner> strategies,
            List<Budget> budgets,
            Device device,
            Places places,
            Dataset data,
            int steps,
            Progress progress) {
        List<PlanFinding> findings = new ArrayList<>();
        List<BudgetException> refusals = new ArrayList<>();
        Optional<PlanTrial> reference = Optional.empty();
        for (PreparedStep step : prepared) {
            CheckPlans checks = new CheckPlans(compiler, step, device, places, data, steps, progress);
            boolean first = reference.isEmpty();
            checks.reference = reference;
            checks.run(strategies, budgets);
            cutByBudget.filter(_ -> first).ifPresent(checks::cutByBudget);
            findings.addAll(checks.findings);
            refusals.addAll(checks.refusals);
            reference = checks.reference;
        }
        refusals.stream()
                .filter(refusal -> findings.stream().noneMatch(found -> found.isWithin(refusal.budgetBytes())))
                .min(Comparator.comparingLong(BudgetException::smallestFoundBytes))
                .ifPresent(refusal -> {
                    throw refusal;
                });
        return List.copyOf(findings);
    }

    private void run(List<Planner> strategies, List<Budget> budgets) {
        most = check(Strategies.named(KEEP_ALL), OptionalLong.empty()).orElseThrow();
        long least = most;
        for (Planner strategy : strategies.isEmpty() ? applicable() : strategies) {
            if (!strategy.name().equals(KEEP_ALL)) {
                least = Math.min(least, check(strategy, OptionalLong.empty()).orElseThrow());
            }
        }
        asked = !budgets.isEmpty();
        for (Budget budget : budgets) {
            limits.add(budget.bytes(most));
        }
        if (budgets.isEmpty() && least < most) {
            for (double share : SHARES) {
                limits.add(least + (long) (share * (most - least)));
            }
        }
        for (Planner strategy : strategies.isEmpty() ? List.of(Strategies.auto()) : strategies) {
            for (long limit : limits.descendingSet()) {
                if (asked && strategies.isEmpty()) {
                    checkAsTrained(limit);
                } else {
                    check(strategy, OptionalLong.of(limit));
                }
            }
        }
    }

    /** The plans of a training that leaves open into how many chunks its losses are cut. */
    private void cutByBudget(ElaboratedModel model) {
        for (long limit : limits.isEmpty() ? List.of(most / 2) : limits.descendingSet()) {
            CompileOptions options = step.options().withBudget(limit).with(Chunks.AUTO);
            check(
                    name(Strategies.auto(), OptionalLong.of(limit)) + ", chunks auto",
                    () -> compiler.compile(model, options));
        }
    }

    /** The plan that a training takes which is asked for nothing but the budget. */
    private void checkAsTrained(long limit) {
        CompileOptions options = step.options().with(Effort.NORMAL).withBudget(limit);
        check(name(Strategies.auto(), OptionalLong.of(limit)), () -> compiler.compile(step.with(options)));
    }

    /** Every strategy that has one answer without a budget and something to do, and a few and many segments. */
    private List<Planner> applicable() {
        List<Planner> all = new ArrayList<>(Strategies.all());
        if (!step.options().below().isNothing()) {
            all.addAll(Strategies.moving());
        }
        all.add(Strategies.named("segments=2"));
        all.add(Strategies.named("segments=7"));
        return all;
    }

    /** @return the arena's bytes; empty where no plan fits */
    private OptionalLong check(Planner strategy, OptionalLong budget) {
        return check(name(strategy, budget), () -> compiler.compile(step, Request.unproven(strategy, budget)));
    }

    private String name(Planner strategy, OptionalLong budget) {
        return strategy.name() + (budget.isPresent() ? " within " + budget.getAsLong() : "") + onRanks(step.options());
    }

    /** On how many ranks and what these share, for the end of a name; nothing of one. */
    static String onRanks(CompileOptions options) {
        Sharding sharding = options.shares().level();
        return (options.ranks() == 1 ? "" : " on " + options.ranks() + " ranks")
                + (sharding == Sharding.NONE ? "" : " sharing " + sharding);
    }

    /** {@code  in 8 chunks}; empty where losses are whole. */
    private static String cut(PreparedStep step) {
        return step.chunked().stream()
                .map(loss -> String.valueOf(loss.count()))
                .distinct()
                .reduce((one, other) -> one + " and " + other)
                .map(counts -> " in " + counts + " chunks")
                .orElse("");
    }

    /** @param plan what is asked for, which is named with the chunks that come of it */
    private OptionalLong check(String plan, Supplier<Compilation> compile) {
        progress.tell("planning by " + plan);
        Compilation compilation;
        try {
            compilation = compile.get();
        } catch (BudgetException e) {
            if (asked && !step.options().chunks().isGiven()) {
                throw e;
            } else if (asked) {
                refusals.add(e);
            }
            findings.add(new PlanFinding(plan + cut(step), new Outcome.NoPlan(e.smallestFoundBytes())));
            return OptionalLong.empty();
        }
        String name = plan + cut(compilation.step());
        Work work = work(compilation);
        String known = nameByPlan.putIfAbsent(ExecutionPlanJson.hash(compilation.plan()), name);
        if (known != null) {
            findings.add(new PlanFinding(name, new Outcome.SamePlan(work, known)));
            return OptionalLong.of(work.arenaBytes());
        }
        progress.tell("training by " + name);
        PlanTrial trial;
        try (Executable executable = device.load(compilation.plan(), true, places)) {
            trial = PlanTrial.run(executable, data, steps);
        }
        reference = Optional.of(reference.orElse(trial));
        findings.add(new PlanFinding(
                name,
                new Outcome.Ran(
                        work, trial, trial.firstDifference(reference.get()).orElse(""))));
        return OptionalLong.of(work.arenaBytes());
    }

    /** Views are made again at no cost, and not counted. */
    static Work work(Compilation compilation) {
        List<Node> clones = compilation.rematerialized().steps().stream()
                .flatMap(List::stream)
                .map(compilation.rematerialized().graph()::node)
                .filter(Node::isClone)
                .toList();
        long draws = clones.stream()
                .filter(node -> node.op().drawnOrdinal().isPresent())
                .count();
        return new Work(
                compilation.plan().arenaBytes(),
                compilation.plan().steps().size(),
                clones.size(),
                (int) draws,
                compilation.plan().transfers().all().stream()
                        .mapToLong(transfer -> transfer.range().bytes())
                        .sum());
    }
}
