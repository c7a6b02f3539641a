package dev.remat.compiler;

import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.LiveTensors;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.compiler.plan.SequenceEvaluator;
import dev.remat.compiler.plan.Strategies;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Asks the strategies for sequences and takes the cheapest that fits, judged by its real arena. */
final class ChoosePlan {
    private static final int TENSORS_NAMED = 8;

    /** A sequence, its judgement, and what it is measured against. */
    record Choice(
            OperatorSequence sequence,
            SequenceEvaluation evaluation,
            SequenceEvaluation keepAll,
            long keepAllArenaBytes,
            long floorBytes,
            long smallestFoundBytes) {}

    private record Candidate(OperatorSequence sequence, SequenceEvaluation evaluation, long arenaBytes) {}

    private final TargetModel target;

    ChoosePlan(TargetModel target) {
        this.target = target;
    }

    Choice run(PlanningProblem planning, CompileOptions options) {
        Candidate keepAll = candidate(planning, new KeepAll());
        List<Candidate> candidates = new ArrayList<>();
        if (options.strategy().isPresent()) {
            Planner planner = Strategies.named(options.strategy().get());
            candidates.add(planner instanceof KeepAll ? keepAll : candidate(planning, planner));
        } else {
            candidates.add(keepAll);
            boolean fits = options.budgetBytes().isEmpty() || keepAll.arenaBytes() <= options.budgetBytes().getAsLong();
            if (!fits) {
                Strategies.all().stream()
                        .filter(planner -> !(planner instanceof KeepAll))
                        .forEach(planner -> candidates.add(candidate(planning, planner)));
            }
        }
        Candidate smallest = candidates.stream().min(Comparator.comparingLong(Candidate::arenaBytes)).orElseThrow();
        long floor = Floor.of(planning.problem()).bytes();
        long budget = options.budgetBytes().orElse(Long.MAX_VALUE);
        Candidate chosen = candidates.stream()
                .filter(candidate -> candidate.arenaBytes() <= budget)
                .min(Comparator.comparingLong(candidate -> candidate.evaluation().cost()))
                .orElseThrow(() -> infeasible(planning, budget, floor, smallest));
        return new Choice(
                chosen.sequence(), chosen.evaluation(), keepAll.evaluation(), keepAll.arenaBytes(), floor,
                Math.min(smallest.arenaBytes(), keepAll.arenaBytes()));
    }

    private Candidate candidate(PlanningProblem planning, Planner planner) {
        OperatorSequence sequence = planner.plan(planning.problem(), PlannerOptions.none());
        SequenceEvaluation evaluation = SequenceEvaluator.evaluate(planning.problem(), sequence);
        if (!evaluation.valid()) {
            throw new IllegalStateException(planner.name() + ": " + evaluation.violations().getFirst());
        }
        KernelGraph kernels = FormKernels.run(InsertRecompute.run(planning, sequence), target);
        MemoryPlan memory = PlanArena.run(kernels, target);
        return new Candidate(sequence, evaluation, memory.arenaBytes());
    }

    private static BudgetException infeasible(PlanningProblem planning, long budget, long floor, Candidate smallest) {
        List<String> tensors = LiveTensors.at(planning.problem(), smallest.sequence(), smallest.evaluation().peakStep())
                .stream()
                .limit(TENSORS_NAMED)
                .map(tensor -> tensor.name() + " (" + tensor.bytes() + " bytes)")
                .toList();
        return new BudgetException(budget, floor, smallest.arenaBytes(), tensors);
    }
}
