package dev.remat.compiler.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.segment.MinCut;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.compiler.search.Subject;
import dev.remat.ir.target.UnitCost;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SweepBudgetsTest {
    private static final Compiler COMPILER = new Compiler(new TestTarget(), new UnitCost());
    private static final Subject<?> STEP = COMPILER.subject(
            COMPILER.prepare(TestModels.model(TestModels.mlp(4, 256, 16), TestModels.ADAM), CompileOptions.defaults()));

    private static Sweep sweep(List<Planner> planners) {
        return SweepBudgets.run(STEP, planners, List.of(), PlannerOptions.none().with(Effort.QUICK), true);
    }

    @Test
    void autoIsNeverWorseAndALooserBudgetNeverCostsMore() {
        Sweep sweep = sweep(List.of(Strategies.auto(), new Sqrt(), new MinCut()));
        assertThat(sweep.budgets()).isNotEmpty().isSortedAccordingTo((a, b) -> Long.compare(b, a));
        Sweep.Column auto = sweep.columns().getFirst();
        assertThat(auto.within(sweep.budgets().getFirst())).isPresent();
        for (Sweep.Column column : sweep.columns()) {
            long looser = 0;
            for (long budget : sweep.budgets()) {
                Optional<SweepPoint> plan = column.within(budget);
                if (plan.isPresent()) {
                    assertThat(plan.get().bytes()).isLessThanOrEqualTo(budget);
                    assertThat(plan.get().cost()).isGreaterThanOrEqualTo(looser);
                    assertThat(auto.within(budget).orElseThrow().cost())
                            .isLessThanOrEqualTo(plan.get().cost());
                    looser = plan.get().cost();
                } else {
                    looser = Long.MAX_VALUE;
                }
            }
        }
    }

    @Test
    void theFrontierGoesFromKeepingEverythingDown() {
        List<SweepPoint> frontier = sweep(List.of(new Sqrt(), new MinCut())).frontier();
        assertThat(frontier).hasSizeGreaterThan(2);
        assertThat(frontier.getFirst().cost()).isEqualTo(STEP.problem().baselineCost());
        for (int i = 1; i < frontier.size(); i++) {
            assertThat(frontier.get(i).bytes()).isLessThan(frontier.get(i - 1).bytes());
            assertThat(frontier.get(i).cost()).isGreaterThan(frontier.get(i - 1).cost());
        }
    }

    @Test
    void noPlanCostsLessThanItsBound() {
        Sweep sweep = sweep(List.of(Strategies.auto(), new Sqrt(), new MinCut()));
        assertThat(sweep.bounds()).hasSameSizeAs(sweep.budgets()).isSorted();
        assertThat(sweep.bounds().getLast()).isGreaterThan(STEP.problem().baselineCost());
        for (long budget : sweep.budgets()) {
            long bound = sweep.bounds().get(sweep.budgets().indexOf(budget));
            sweep.best(budget).ifPresent(best -> assertThat(best.cost()).isGreaterThanOrEqualTo(bound));
        }
        assertThat(SweepBudgets.run(STEP, List.of(new Sqrt()), List.of(), PlannerOptions.none(), false)
                        .bounds())
                .isEmpty();
    }

    @Test
    void whatCannotFitHasNoCell() {
        Sweep sweep = sweep(List.of(new KeepAll()));
        assertThat(sweep.columns().getFirst().within(sweep.budgets().getFirst()))
                .isEmpty();
        assertThat(sweep.columns().getFirst().within(sweep.keepAll().bytes())).contains(sweep.keepAll());
    }

    @Test
    void tenthsEndAtTheFloor() {
        assertThat(SweepBudgets.tenths(1000, 700)).containsExactly(900L, 800L, 700L);
        assertThat(SweepBudgets.tenths(1000, 701)).containsExactly(900L, 800L);
        assertThat(SweepBudgets.tenths(1000, 950)).containsExactly(1000L);
    }
}
