package dev.remat.compiler.plan.portfolio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.LayeredGraphs;
import dev.remat.compiler.plan.MemorySimulation;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.segment.MinCut;
import dev.remat.compiler.plan.segment.Recursive;
import dev.remat.compiler.plan.segment.Segments;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds of every strategy on random layered training steps; larger ones are measured by plan_random.py. */
@Tag("slow")
class LayeredPlansTest {
    @ParameterizedTest
    @CsvSource({"100, 1, false, 70", "200, 2, true, 50", "300, 3, false, 30"})
    void everyAnswerIsValidAndClaimsTheTruth(int nodes, long seed, boolean updates, int percent) {
        RematProblem problem = problem(nodes, seed, updates);
        PlannerOptions options = options(problem, percent);
        List<Planner> planners = new ArrayList<>(Strategies.all());
        planners.add(new Segments(7));
        int recomputing = 0;
        for (Planner planner : planners) {
            OperatorSequence sequence = planner.plan(problem, options);
            recomputing += checked(problem, sequence, planner.name()).recomputations() > 0 ? 1 : 0;
        }
        assertThat(recomputing).isGreaterThan(planners.size() / 2);
    }

    @ParameterizedTest
    @CsvSource({"60, 5, false, 60", "70, 6, true, 40"})
    void autoIsNeverWorseThanAnyOther(int nodes, long seed, boolean updates, int percent) {
        RematProblem problem = problem(nodes, seed, updates);
        PlannerOptions options = options(problem, percent);
        OperatorSequence sequence = Strategies.auto().plan(problem, options);
        checked(problem, sequence, "auto");
        Proposal auto = Proposal.of(problem, sequence);
        for (Planner planner : Strategies.all()) {
            Proposal single = Proposal.of(problem, planner.plan(problem, options));
            assertThat(Proposal.bestFirst(options).compare(auto, single))
                    .as("auto (%s) against %s", auto.evaluation().cost(), planner.name())
                    .isLessThanOrEqualTo(0);
        }
    }

    /** Both are right about a plan, and each would see what the other one sees wrong. */
    @Test
    void theSimulationNoticesAStepThatIsLeftOut() {
        RematProblem problem = problem(100, 7, false);
        OperatorSequence sequence = new Sqrt().plan(problem, PlannerOptions.none());
        SequenceEvaluation whole = checked(problem, sequence, "sqrt");
        int[] shorter = sequence.steps().limit(sequence.length() - 1L).toArray();
        MemorySimulation less = MemorySimulation.of(problem, new OperatorSequence("cut", shorter, List.of()));
        assertThat(less.cost()).isLessThan(whole.cost());
        OperatorSequence given = new KeepAll().plan(problem, PlannerOptions.none());
        assertThat(MemorySimulation.of(problem, given).peakBytes()).isGreaterThan(whole.peakBytes());
    }

    /** Views, in-place results, several results, statistics and pins. */
    @Test
    void theSimulationAgreesOnEveryFeature() {
        for (long seed = 4000; seed < 4040; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 4 + (int) (seed % 40));
            for (Planner planner :
                    List.of(new KeepAll(), new Sqrt(), new Recursive(), new MinCut(), new PeakPriority())) {
                OperatorSequence sequence = planner.plan(problem, PlannerOptions.none());
                checked(problem, sequence, planner.name() + ", seed " + seed);
            }
        }
    }

    private static RematProblem problem(int nodes, long seed, boolean updates) {
        return updates ? LayeredGraphs.withUpdates(seed, nodes) : LayeredGraphs.of(seed, nodes);
    }

    private static PlannerOptions options(RematProblem problem, int percent) {
        OperatorSequence given = new KeepAll().plan(problem, PlannerOptions.none());
        long peak = MemorySimulation.of(problem, given).peakBytes();
        return PlannerOptions.withBudget(peak * percent / 100).with(Effort.QUICK);
    }

    private static SequenceEvaluation checked(RematProblem problem, OperatorSequence sequence, String name) {
        SequenceEvaluation claimed = SequenceEvaluator.evaluate(problem, sequence);
        assertThat(claimed.violations()).as(name).isEmpty();
        MemorySimulation found = MemorySimulation.of(problem, sequence);
        assertThat(claimed.peakBytes()).as("peak by %s", name).isEqualTo(found.peakBytes());
        assertThat(claimed.cost()).as("cost by %s", name).isEqualTo(found.cost());
        return claimed;
    }
}
