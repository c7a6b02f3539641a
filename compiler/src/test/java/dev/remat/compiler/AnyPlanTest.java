package dev.remat.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.remat.MergeClones;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.CanonicalHash;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.UnitCost;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What must hold of every plan of every model. */
@Tag("slow")
class AnyPlanTest {
    private static final int MODELS = 60;
    private static final int SEQUENCES = 4;
    private final TestTarget target = new TestTarget();
    private final Compiler compiler = new Compiler(target, new UnitCost());

    @Test
    void noStrategyChangesWhatIsComputed() {
        int recomputations = 0;
        for (int i = 0; i < MODELS; i++) {
            ElaboratedModel model = RandomModels.model(i, 3 + i % 20);
            CompileOptions options = CompileOptions.defaults();
            Compilation kept = TestModels.compile(model, options.withStrategy("keep-all"));
            Compilation sqrt = TestModels.compile(model, options.withStrategy("sqrt"));
            PlanTerms terms = new PlanTerms();
            assertThat(terms.run(sqrt.plan())).as("model %d", i).isEqualTo(terms.run(kept.plan()));
            for (Compilation compilation : List.of(kept, sqrt)) {
                assertThat(firstUpdate(compilation.plan()))
                        .as("model %d", i)
                        .isGreaterThan(compilation.plan().losses().stream()
                                .mapToInt(PlanOutput::readyAfter)
                                .max()
                                .orElseThrow());
                assertThat(compilation.memory().peakLiveBytes())
                        .isLessThanOrEqualTo(compilation.evaluation().peakBytes());
            }
            recomputations += sqrt.evaluation().recomputations();
        }
        assertThat(recomputations).isGreaterThan(MODELS);
    }

    private static int firstUpdate(ExecutionPlan plan) {
        int step = 0;
        while (step < plan.steps().size() && plan.steps().get(step).role() != Role.UPDATE) {
            step++;
        }
        return step;
    }

    @Test
    void noSequenceChangesWhatIsComputed() {
        int clones = 0;
        int redrawn = 0;
        for (int i = 0; i < MODELS; i++) {
            ElaboratedModel model = RandomModels.model(i, 3 + i % 20);
            PreparedStep step = compiler.prepare(model, CompileOptions.defaults());
            Compilation kept = TestModels.compile(model, CompileOptions.defaults());
            PlanTerms terms = new PlanTerms();
            Map<String, Integer> expected = terms.run(kept.plan());
            String hash = CanonicalHash.of(kept.planning().fused().graph());
            Random random = new Random(i);
            for (int k = 0; k < SEQUENCES; k++) {
                Graph graph = check(step, random, terms, expected, hash);
                clones += (int) graph.nodes().stream().filter(Node::isClone).count();
                redrawn += (int) graph.nodes().stream()
                        .filter(n -> n.isClone() && n.op() instanceof RandomOp)
                        .count();
            }
        }
        assertThat(clones).isGreaterThan(10 * MODELS);
        assertThat(redrawn).isGreaterThan(MODELS);
    }

    private Graph check(PreparedStep step, Random random, PlanTerms terms, Map<String, Integer> expected, String hash) {
        RematProblem problem = step.planning().problem();
        OperatorSequence sequence = RandomSequences.of(problem, random, 2 * problem.nodeCount());
        RealizedPlan realized =
                compiler.realize(step, new Proposal(sequence, SequenceEvaluator.evaluate(problem, sequence)));
        ExecutionPlan plan =
                BuildExecutionPlan.run(realized.kernels(), realized.memory(), "0".repeat(64), target.name(), 7);
        ArenaChecker.check(plan, target.alignment());
        assertThat(terms.run(plan)).isEqualTo(expected);
        Graph graph = realized.rematerialized().graph();
        assertThat(CanonicalHash.of(MergeClones.run(graph))).isEqualTo(hash);
        return graph;
    }
}
