package dev.remat.compiler;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.SequencedMap;

/**
 * Everything a compilation made on its way, for reports and checks. Of a step that is cut into micro-batches, what is
 * planned, its sequence, evaluation, kernels and memory are those of one round; {@link #cost} and {@link #whole} are of
 * the whole step.
 *
 * @param costs what planning was charged for
 * @param search the plan that was taken, and what it is held against
 * @param seconds wall time by stage
 */
public record Compilation(
        PreparedStep step,
        TargetModel target,
        CostModel costs,
        Choice<RealizedPlan> search,
        ExecutionPlan plan,
        SequencedMap<String, Double> seconds) {
    public ElaboratedModel model() {
        return step.model();
    }

    public PlanningProblem planning() {
        return step.planning();
    }

    /** How many micro-batches a batch is cut into; 1 if it is not. */
    public int microBatches() {
        return model().microBatches().map(MicroBatches::count).orElse(1);
    }

    /** How often what was planned runs in a step: once for each micro-batch, unless it has all of them. */
    public int rounds() {
        return step.rounds();
    }

    /** What a step costs: all of its sections, each as often as it runs. */
    public long cost() {
        return Math.addExact(step.cost(evaluation().cost()), waitedBeside());
    }

    /** How long sections beside the planned one wait for what they move, and lose to it. */
    private long waitedBeside() {
        long waited = 0;
        for (List<PlacedSection> beside :
                List.of(search.plan().before(), search.plan().after())) {
            for (PlacedSection section : beside) {
                waited += section.rounds() * (section.time() - section.cost());
            }
        }
        return waited;
    }

    /** What a step costs without recomputation. */
    public long baselineCost() {
        return step.cost(evaluation().baselineCost());
    }

    /** Cost of all that a step runs, however long it waits for what it moves. */
    private long runCost() {
        return step.cost(search.plan().body().cost());
    }

    /** Cost of a step's recomputations over its cost without them; zero where nothing costs anything. */
    public double recomputedShare() {
        return baselineCost() == 0 ? 0 : (double) (runCost() - baselineCost()) / baselineCost();
    }

    /**
     * What a step costs beyond its cost without recomputation, over that: recomputations, and with tiers waiting and
     * interference.
     */
    public double overhead() {
        double planned = step.overhead(evaluation().cost());
        return baselineCost() == 0 ? planned : planned + (double) waitedBeside() / baselineCost();
    }

    /** What any plan that the bound covers recomputes at least in a step, as {@link #overhead}. */
    public double lowerBoundOverhead() {
        return step.overhead(search.bound().cost());
    }

    /** What no plan can do without where losses are whole, of a step in which they are not. */
    public MemoryFloor floorOfWhole() {
        CompileOptions whole = step.options().with(Chunks.OFF).quick();
        return new Compiler(target, costs).prepare(step.model(), whole).floor();
    }

    /** In the order in which they run. */
    public List<PlacedSection> sections() {
        return search.plan().sections();
    }

    /** All sections side by side, with the kernels of all steps of the plan. */
    public WholeStep whole() {
        return search.plan().whole();
    }

    public OperatorSequence sequence() {
        return search.plan().sequence();
    }

    public SequenceEvaluation evaluation() {
        return search.plan().evaluation();
    }

    public RematerializedGraph rematerialized() {
        return search.plan().rematerialized();
    }

    public KernelGraph kernels() {
        return search.plan().kernels();
    }

    public MemoryPlan memory() {
        return search.plan().memory();
    }
}
