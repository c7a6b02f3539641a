package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.remat.SeedChain;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import java.util.SequencedMap;

/**
 * A step compiled up to the question of what to recompute. Any number of plans can be carried through from here.
 */
public final class UnplannedStep {
    private final ElaboratedModel model;
    private final CompileOptions options;
    private final TrainingSpec spec;
    private final PlanningProblem planning;
    private final TargetModel target;
    private final CostModel costs;
    private final StageRunner stages;

    /**
     * @param spec how the model is trained
     * @param stages run and charged for whatever is done with the step
     */
    UnplannedStep(
            ElaboratedModel model,
            CompileOptions options,
            TrainingSpec spec,
            PlanningProblem planning,
            TargetModel target,
            CostModel costs,
            StageRunner stages) {
        this.model = model;
        this.options = options;
        this.spec = spec;
        this.planning = planning;
        this.target = target;
        this.costs = costs;
        this.stages = stages;
    }

    ElaboratedModel model() {
        return model;
    }

    CompileOptions options() {
        return options;
    }

    TrainingSpec spec() {
        return spec;
    }

    PlanningProblem planning() {
        return planning;
    }

    StageRunner stages() {
        return stages;
    }

    /** What the step is compiled for. */
    public TargetModel target() {
        return target;
    }

    /** What planning is charged for. */
    public CostModel costs() {
        return costs;
    }

    /** Extents of the model's symbols. */
    public SequencedMap<String, Long> symbols() {
        return options.symbols();
    }

    public RematProblem problem() {
        return planning.problem();
    }

    public StepFloor floor() {
        return StepFloor.of(planning);
    }

    /** The kernels and the arena of a sequence of the step's nodes. */
    public CandidatePlan carryThrough(Proposal proposal) {
        RematerializedGraph rematerialized = stages.run("insert", () -> insert(proposal));
        KernelGraph kernels = stages.run("kernels", () -> FormKernels.run(rematerialized, target));
        MemoryPlan memory = stages.run("arena", () -> PlanArena.run(kernels, target));
        return new CandidatePlan(proposal.sequence(), proposal.evaluation(), rematerialized, kernels, memory);
    }

    private RematerializedGraph insert(Proposal proposal) {
        RematerializedGraph rematerialized = InsertRecompute.run(planning, proposal.sequence());
        GraphVerifier.verify(rematerialized.graph());
        SeedChain.of(rematerialized.graph()).verify(rematerialized.graph());
        return rematerialized;
    }
}
