package dev.remat.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CompileWithinBudgetTest {
    private static final ElaboratedModel MODEL = TestModels.model(TestModels.mlp(8, 64, 16), TestModels.ADAM);

    private static Compilation compile(long budget) {
        return TestModels.compile(
                MODEL, CompileOptions.defaults().with(Effort.QUICK).withBudget(budget));
    }

    @Tag("slow")
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

    /** A plan may take no more of a place than there is, however densely it was planned. */
    @Test
    void aPlaceThatIsTooSmallIsRefused() {
        Compiler compiler = new Compiler(new TestTarget(), new RooflineCost(new TestTarget().device()));
        CompileOptions moving = CompileOptions.defaults().withStrategy("offload-activations");
        PreparedStep large = compiler.prepare(MODEL, moving.with(disk(1 << 24)));
        PreparedStep small = compiler.prepare(MODEL, moving.with(disk(4096)));
        Choice<RealizedPlan> choice = compiler.search(large).run(moving.strategy(), Optional.empty());
        ExecutionPlan plan = compiler.compile(large, _ -> choice).plan();
        assertThat(plan.transfers().places()).extracting(PlaceSize::name).containsExactly("disk");
        long bytes = plan.transfers().places().getFirst().bytes();
        assertThat(bytes).isGreaterThan(4096);
        PlaceBudgetException refused = catchThrowableOfType(
                PlaceBudgetException.class,
                () -> compiler.compile(
                        small,
                        search -> with(choice, search.measure(choice.plan().proposal()))));
        assertThat(refused.place()).isEqualTo("disk");
        assertThat(refused.budgetBytes()).isEqualTo(4096);
        assertThat(refused.planBytes()).isEqualTo(bytes);
    }

    private static Choice<RealizedPlan> with(Choice<RealizedPlan> choice, RealizedPlan plan) {
        return new Choice<>(
                plan,
                choice.keepAll(),
                choice.floor(),
                choice.budgetBytes(),
                choice.smallestFoundBytes(),
                choice.bound(),
                choice.tighteningRounds());
    }

    /** State leaves the arena where no plan that has it there fits, unless only activations may. */
    @Test
    @Tag("slow")
    void stateGoesBelowWhereNothingElseFits() {
        ElaboratedModel wide = TestModels.model(TestModels.mlp(2, 16, 256), TestModels.ADAM);
        CompileOptions half = CompileOptions.defaults().with(Effort.QUICK).with(new Budget.Share(0.5));
        Below auto = disk(1 << 24);
        Compilation below = TestModels.compile(wide, half.with(auto));
        assertThat(GiveHomes.of(below.planning())).isNotEmpty();
        assertThat(below.step().options().below().movable()).isEqualTo(Movable.ALL);
        assertThat(below.plan().arenaBytes())
                .isLessThanOrEqualTo(below.search().budgetBytes().orElseThrow());

        Compilation roomy = TestModels.compile(wide, half.with(auto).with(new Budget.Share(1)));
        assertThat(GiveHomes.of(roomy.planning())).isEmpty();
        assertThat(roomy.step().options().below().movable()).isEqualTo(Movable.AUTO);
        assertThatThrownBy(() -> TestModels.compile(wide, half.with(new Below(auto.tiers(), Movable.ACTIVATIONS))))
                .isInstanceOf(BudgetException.class);
    }

    private static Below disk(long bytes) {
        return new Below(List.of(new Tier("disk", bytes, 1_000_000_000, 1_000_000_000, 0)), Movable.AUTO);
    }
}
