package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.plan.Lane;
import dev.remat.runtime.check.PlanTrial;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a model pins to be offloaded leaves and comes back, whatever the strategy, and the bits stay. */
class PinnedOffloadTest {
    /** Strategies that move nothing of themselves, those that do, and what they make within a budget. */
    @ParameterizedTest
    @ValueSource(strings = {"keep-all", "sqrt", "recursive", "peak-priority", "offload", "anneal-labels", "auto"})
    void whatIsPinnedToBeOffloadedIs(String strategy) {
        String text = """
            remat 1

            model Pinned(width: int = 32, depth: int = 2) {
              input tokens: i32[16, 16]
              input targets: i32[16, 16]

              x = embedding(tokens, 64, width) as table
              repeat depth {
                h = linear(layer_norm(x), 2 * width)
                PIN
                x = x + dropout(linear(gelu(h), width), 0.25)
              }
              loss = cross_entropy(linear(x, 64), targets)
            }

            train {
              minimize loss
              optimizer adamw(lr = 1e-2)
            }
            """;
        Compilation keepAll = TrialRun.compile(text.replace("PIN", ""), "depth=3", "keep-all");
        PlanTrial kept = OffloadInvarianceTest.train(keepAll.plan(), new Random(0));
        ElaboratedModel model = TrialRun.elaborate(text.replace("PIN", "offload h"), "depth=3", Purpose.TRAIN);
        CompileOptions tiered = CompileOptions.defaults()
                .with(Effort.QUICK)
                .with(new Below(OffloadInvarianceTest.TIERS, Movable.AUTO))
                .withStrategy(strategy);
        long budget = keepAll.plan().arenaBytes() * 4 / 5;
        for (CompileOptions options : List.of(tiered, tiered.withBudget(budget))) {
            ExecutionPlan plan = compiled(model, options);
            assertThat(plan.transfers().all().stream()
                            .filter(transfer -> transfer.lane() == Lane.FETCH)
                            .map(transfer -> transfer.name().replaceAll("~.*", "")))
                    .contains("h", "h.2", "h.3");
            OffloadInvarianceTest.assertEqual(OffloadInvarianceTest.train(plan, new Random(1)), kept, strategy);
        }
    }

    /** Within the budget, or the smallest where the strategy has none that is. */
    private static ExecutionPlan compiled(ElaboratedModel model, CompileOptions options) {
        try {
            return TrialRun.compile(model, options).plan();
        } catch (BudgetException e) {
            return TrialRun.compile(model, options.withBudget(e.smallestFoundBytes()))
                    .plan();
        }
    }
}
