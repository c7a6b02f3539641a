package dev.remat.compiler.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.target.UnitCost;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PlansByBudgetTest {
    /** Layers of a step that is too large for asking all. */
    private static final int LARGE = 450;

    private final Set<String> tried = new ConcurrentSkipListSet<>();
    private final SearchListener listener = tried::add;

    private PreparedStep step(Compiler compiler, Graph model) {
        CompileOptions quick = CompileOptions.defaults().with(Effort.QUICK);
        return compiler.prepare(TestModels.model(model, TestModels.SGD), quick);
    }

    private List<Compilation> plans(Graph model, int most) {
        Compiler compiler = new Compiler(new TestTarget(), new UnitCost(), listener);
        return PlansByBudget.run(compiler, step(compiler, model), most);
    }

    /** None takes more memory and costs more than another, and the smallest costs something. */
    private static void assertEachIsWorthIt(List<Compilation> plans) {
        assertThat(plans).hasSizeGreaterThan(1);
        for (int i = 1; i < plans.size(); i++) {
            assertThat(plans.get(i).memory().arenaBytes())
                    .isLessThan(plans.get(i - 1).memory().arenaBytes());
            assertThat(plans.get(i).cost())
                    .isGreaterThanOrEqualTo(plans.get(i - 1).cost());
        }
        assertThat(plans.getLast().cost()).isGreaterThan(plans.getFirst().cost());
    }

    @Test
    void aSmallStepIsPlannedByAll() {
        assertEachIsWorthIt(plans(TestModels.mlp(8, 16, 16), 4));
        assertThat(tried).contains("planning by auto");
    }

    @Test
    void aLargeStepIsPlannedByTheStrongestAlone() {
        Graph model = TestModels.mlp(LARGE, 2, 16);
        Compiler compiler = new Compiler(new TestTarget(), new UnitCost());
        assertThat(step(compiler, model).planning().problem().nodeCount()).isGreaterThan(SearchLimits.ASKED_AROUND);
        assertEachIsWorthIt(plans(model, 2));
        assertThat(tried)
                .contains("planning by hierarchy", "planning by peak-priority")
                .doesNotContain("planning by auto");
    }

    /** Of 64 rows activations take most: what hierarchy finds is far less than half. */
    @Test
    void nobodyElseIsAskedWhereTheFirstFindsSmallPlans() {
        List<Compilation> plans = plans(TestModels.mlp(LARGE, 64, 4), 3);
        assertEachIsWorthIt(plans);
        assertThat(plans.getLast().memory().arenaBytes())
                .isLessThan(plans.getFirst().memory().arenaBytes() / 2);
        assertThat(tried).contains("planning by hierarchy").doesNotContain("planning by peak-priority");
    }

    /** Work goes on side by side, and what comes of it does not tell. */
    @Test
    void thePlansAreTheSameEveryTime() {
        List<String> hashes = hashes();
        assertThat(hashes).hasSizeGreaterThan(2);
        assertThat(hashes()).isEqualTo(hashes);
    }

    private List<String> hashes() {
        return plans(TestModels.mlp(LARGE, 64, 4), 4).stream()
                .map(plan -> ExecutionPlanJson.hash(plan.plan()))
                .toList();
    }
}
