package dev.remat.cli.check;

import dev.remat.cli.check.PlanFinding.Outcome;
import dev.remat.cli.check.PlanFinding.Work;
import dev.remat.cli.console.Progress;
import dev.remat.cli.device.Device;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.PreparedStage;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.runtime.Executable;
import dev.remat.runtime.check.PlanTrial;
import dev.remat.runtime.io.Dataset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Trains a few steps in stages by many plans, and compares bits with one that is not cut. Each strategy plans every
 * stage without a budget, and within each budget that is given.
 */
public final class CheckStages {
    private final CompileStages compiler;
    private final ElaboratedModel model;
    private final Device device;
    private final Dataset data;
    private final int steps;
    private final PlanTrial reference;
    private final Progress progress;
    private final List<PlanFinding> findings = new ArrayList<>();
    private final Map<String, String> nameByPlans = new LinkedHashMap<>();

    /**
     * @param compiler for the device
     * @param reference what is to come of every plan
     */
    public CheckStages(
            CompileStages compiler,
            ElaboratedModel model,
            Device device,
            Dataset data,
            int steps,
            PlanTrial reference,
            Progress progress) {
        this.compiler = compiler;
        this.model = model;
        this.device = device;
        this.data = data;
        this.steps = steps;
        this.reference = reference;
        this.progress = progress;
    }

    /**
     * Checks.
     *
     * @param ranks how many there are, each with all stages, and what they share
     * @param strategies if there are none, GPipe's modes
     * @throws BudgetException if no plan of a stage fits a budget
     */
    public List<PlanFinding> run(
            CompileOptions ranks, List<Staging> stagings, List<Planner> strategies, List<Budget> budgets) {
        CompileOptions options = ranks.with(Effort.QUICK);
        int before = findings.size();
        for (Staging staging : stagings) {
            List<PreparedStage> prepared = compiler.prepare(model, options, staging, 1);
            for (Planner strategy : strategies.isEmpty() ? Strategies.ofPipes() : strategies) {
                check(strategy.name(), staging, prepared, options.with(strategy));
                if (!strategies.isEmpty()) {
                    for (Budget budget : budgets) {
                        check(
                                strategy.name(),
                                staging,
                                prepared,
                                options.with(strategy).with(budget));
                    }
                }
            }
            if (strategies.isEmpty()) {
                budgets.forEach(budget -> check("auto", staging, prepared, options.with(budget)));
            }
        }
        return List.copyOf(findings.subList(before, findings.size()));
    }

    private void check(String strategy, Staging staging, List<PreparedStage> prepared, CompileOptions options) {
        String name = strategy + " in " + staging
                + options.budget().map(budget -> " within " + described(budget)).orElse("")
                + CheckPlans.onRanks(options);
        progress.tell("planning by " + name);
        StageSet set = compiler.run(model, options, staging, prepared);
        Work work = work(set);
        String plans =
                set.plans().stages().stream().map(ExecutionPlanJson::hash).collect(Collectors.joining());
        Optional<String> known = Optional.ofNullable(nameByPlans.putIfAbsent(plans, name));
        if (known.isPresent()) {
            findings.add(new PlanFinding(name, new Outcome.SamePlan(work, known.get())));
            return;
        }
        progress.tell("training by " + name);
        try (Executable executable = device.load(set.plans(), true)) {
            PlanTrial trial = PlanTrial.run(executable, data, steps);
            findings.add(new PlanFinding(
                    name,
                    new Outcome.Ran(
                            work, trial, trial.firstDifference(reference).orElse(""))));
        }
    }

    private static String described(Budget budget) {
        return switch (budget) {
            case Budget.Bytes(long bytes) -> String.valueOf(bytes);
            case Budget.Share(double share) -> Math.round(100 * share) + " %";
        };
    }

    /** Of all stages. */
    private static Work work(StageSet set) {
        List<Work> each = set.stages().stream().map(CheckPlans::work).toList();
        return new Work(
                set.plans().stages().stream()
                        .mapToLong(ExecutionPlan::arenaBytes)
                        .sum(),
                each.stream().mapToInt(Work::kernels).sum(),
                each.stream().mapToInt(Work::recomputedNodes).sum(),
                each.stream().mapToInt(Work::recomputedDraws).sum(),
                0);
    }
}
