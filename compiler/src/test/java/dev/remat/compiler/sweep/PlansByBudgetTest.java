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
import dev.remat.ir.target.UnitCost;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PlansByBudgetTest {
    private final Set<String> tried = new ConcurrentSkipListSet<>();
    private final SearchListener listener = tried::add;

    private PreparedStep step(Compiler compiler, int layers) {
        CompileOptions quick = CompileOptions.defaults().with(Effort.QUICK);
        return compiler.prepare(TestModels.model(TestModels.mlp(layers, 16, 16), TestModels.SGD), quick);
    }

    private List<Compilation> plans(int layers, int most) {
        Compiler compiler = new Compiler(new TestTarget(), new UnitCost(), listener);
        return PlansByBudget.run(compiler, step(compiler, layers), most);
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
        assertEachIsWorthIt(plans(8, 4));
        assertThat(tried).contains("planning by auto");
    }

    @Test
    void aLargeStepIsPlannedByTheStrongestAlone() {
        int layers = 450;
        Compiler compiler = new Compiler(new TestTarget(), new UnitCost());
        assertThat(step(compiler, layers).planning().problem().nodeCount()).isGreaterThan(SearchLimits.ASKED_AROUND);
        assertEachIsWorthIt(plans(layers, 2));
        assertThat(tried).contains("planning by hierarchy").doesNotContain("planning by auto");
    }
}
