package dev.remat.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.search.BudgetException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompileWithinBudgetTest {
    private static final ElaboratedModel MODEL = TestModels.model(TestModels.mlp(8, 64, 16), TestModels.ADAM);

    private static Compilation compile(long budget) {
        return TestModels.compile(
                MODEL, CompileOptions.defaults().with(Effort.QUICK).withBudget(budget));
    }

    @Test
    void everyArenaIsWithinItsBudgetAndALooserOneCostsNoMore() {
        Compilation kept = TestModels.compile(MODEL, CompileOptions.defaults());
        BudgetException refused = catchThrowableOfType(
                BudgetException.class, () -> compile(kept.search().floor().bytes() - 1));
        long smallest = refused.smallestFoundBytes();
        assertThat(smallest).isLessThan(kept.memory().arenaBytes() * 9 / 10);
        double previous = Double.MAX_VALUE;
        for (int percent = 0; percent <= 100; percent += 50) {
            long budget = smallest + (kept.memory().arenaBytes() - smallest) * percent / 100;
            Compilation planned = compile(budget);
            assertThat(planned.memory().arenaBytes()).isLessThanOrEqualTo(budget);
            assertThat(planned.evaluation().overhead()).as("at %d %%", percent).isLessThanOrEqualTo(previous);
            previous = planned.evaluation().overhead();
        }
        assertThat(previous).isZero();
    }

    @Test
    void aNamedStrategyIsAskedForTheBudgetToo() {
        Compilation kept = TestModels.compile(MODEL, CompileOptions.defaults());
        Compilation smallest =
                TestModels.compile(MODEL, CompileOptions.defaults().withStrategy("sqrt"));
        Compilation loose = TestModels.compile(
                MODEL,
                CompileOptions.defaults()
                        .withStrategy("sqrt")
                        .withBudget(kept.memory().arenaBytes() - 1));
        assertThat(loose.sequence().strategy()).isEqualTo("sqrt");
        assertThat(loose.evaluation().overhead())
                .isPositive()
                .isLessThan(smallest.evaluation().overhead());
        BudgetException refused = catchThrowableOfType(
                BudgetException.class,
                () -> TestModels.compile(
                        MODEL,
                        CompileOptions.defaults()
                                .withStrategy("keep-all")
                                .withBudget(kept.memory().arenaBytes() - 1)));
        assertThat(refused.smallestFoundBytes()).isEqualTo(kept.memory().arenaBytes());
        assertThat(List.copyOf(refused.tensors())).isNotEmpty();
    }
}
