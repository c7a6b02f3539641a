package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.transfer.OnTiers;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import java.util.List;

/** Plans of one small step for GPUs that draws random numbers, and moves tensors to memory of the host or does not. */
final class MovingPlans {
    private static final Tier HOST = new Tier(PlaceSize.HOST, 1L << 40, 2_000_000_000, 1_500_000_000, 500);
    private static final String MODEL = """
        remat 1

        model Moving {
          symbol B
          input x: f32[B, 16]
          input targets: i32[B]

          h = x
          repeat 5 { h = h + dropout(linear(h, 16) |> gelu, 0.25) }
          loss = cross_entropy(linear(h, 4) as out, targets)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2)
          seed 3
        }
        """;

    private final CudaTarget target;
    private final Compiler compiler;
    private final PreparedStep step;

    MovingPlans(Architecture architecture) {
        this.target = new CudaTarget(architecture);
        this.compiler = new Compiler(target, new RooflineCost(target.device()));
        PreparedStep prepared = compiler.prepare(
                Elaborator.elaborate(
                        ModelParser.parse(new Source("moving.model", MODEL), IncludeResolver.NONE),
                        Bindings.parse(List.of("B=8")),
                        Purpose.TRAIN),
                CompileOptions.defaults());
        this.step = with(
                prepared,
                prepared.planning().onTiers(new Below(List.of(HOST), Movable.AUTO), target.transferAlignment()));
    }

    private static PreparedStep with(PreparedStep step, PlanningProblem planning) {
        return new PreparedStep(
                step.model(),
                step.options(),
                planning,
                step.rounds(),
                step.before(),
                step.after(),
                step.chunked(),
                step.stages());
    }

    /** Moves nothing. */
    ExecutionPlan still() {
        return plan(step, sequence(step, "keep-all"));
    }

    /** Parameters and optimizer state live on the host, and of what the step computes some is moved as well. */
    ExecutionPlan moving() {
        PreparedStep below = with(step, GiveHomes.run(step.planning(), 0, 1, target.transferAlignment()));
        RematProblem problem = below.planning().problem();
        long least = SequenceEvaluator.evaluate(problem, sequence(below, "offload-state"))
                .peakBytes();
        PlannerOptions within = PlannerOptions.none().within(least * 7 / 8);
        return plan(below, OnTiers.plan(Strategies.named("offload"), problem, within));
    }

    private static OperatorSequence sequence(PreparedStep step, String strategy) {
        return OnTiers.plan(Strategies.named(strategy), step.planning().problem(), PlannerOptions.none());
    }

    private ExecutionPlan plan(PreparedStep prepared, OperatorSequence sequence) {
        RematProblem problem = prepared.planning().problem();
        ExecutionPlan plan = BuildExecutionPlan.run(
                compiler.realize(prepared, Proposal.of(problem, sequence)).whole(), "00", target, 7, List.of(HOST));
        ArenaChecker.check(plan, target.alignment());
        LaneChecker.check(plan);
        return plan;
    }
}
