package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plans of four ranks are proven, and none is any more with one wait, place or step of an exchange changed. */
class ExchangeMutationsTest {
    private static final String TEXT = """
        remat 1
        model Three {
          symbol B
          input x: f32[B, 100]
          param u: f32[100, 1000] = ones
          param v: f32[1000, 150] = ones
          param w: f32[150, 1000] = ones
          loss = mean((softmax(softmax(x @ u) @ v) @ w) ** 2)
        }
        train { minimize loss; optimizer adam(lr = 0.1); micro_batches 8 }
        """;

    private static ExecutionPlan plan(Sharding sharding) {
        CompileOptions options = CompileOptions.defaults().withStrategy("peak-priority");
        ExecutionPlan plan = TestModels.compileCut(
                        TEXT, "B=8", options.onRanks(4).with(sharding))
                .plan();
        ArenaChecker.check(plan);
        LaneChecker.check(plan, ExchangeWindow.of(plan));
        return plan;
    }

    private static void demandRace(ExecutionPlan plan, List<ExchangeWindow> windows, String what) {
        assertThatThrownBy(() -> LaneChecker.check(plan, windows)).as(what).isInstanceOf(PlanViolationException.class);
    }

    /** Whether a kernel is ordered behind an exchange by its wait alone, and not by one behind that in the lane. */
    private static boolean isAwaited(ExecutionPlan plan, ExchangeWindow window, int before) {
        return before < plan.section(window.begin()).to()
                && !(op(plan, before) instanceof Exchange)
                && ExchangeWindow.of(plan).stream()
                        .noneMatch(other -> other.begin() > window.begin() && other.end() <= before);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "OPTIMIZER", "PARAMETERS"})
    void noWaitCanBeRemoved(Sharding sharding) {
        ExecutionPlan plan = plan(sharding);
        List<ExchangeWindow> windows = ExchangeWindow.of(plan);
        List<Integer> awaited = IntStream.range(0, windows.size())
                .filter(k -> isAwaited(plan, windows.get(k), windows.get(k).end()))
                .boxed()
                .toList();
        assertThat(awaited).hasSizeGreaterThan(2);
        for (int k : awaited) {
            ExchangeWindow window = windows.get(k);
            List<ExchangeWindow> mutated = new ArrayList<>(windows);
            int later = window.end() + 1;
            mutated.set(k, new ExchangeWindow(window.begin(), later, window.sent(), window.received()));
            demandRace(
                    plan,
                    mutated,
                    "exchange " + plan.steps().get(window.begin()).name());
        }
    }

    /** Kernels beside an exchange write into what it sends or brings, and do not wait for it. */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "OPTIMIZER", "PARAMETERS"})
    void noStagingCanBeReusedEarly(Sharding sharding) {
        ExecutionPlan plan = plan(sharding);
        List<ExchangeWindow> windows = ExchangeWindow.of(plan);
        int reused = 0;
        for (ExchangeWindow window : windows) {
            for (int step = window.begin() + 1; step < window.end(); step++) {
                KernelStep beside = plan.steps().get(step);
                for (ByteRange staged : List.of(window.sent(), window.received())) {
                    if (isAwaited(plan, window, step) && !beside.writes().isEmpty()) {
                        int value = beside.writes().getFirst().value();
                        ExecutionPlan mutated = new PlanEdits(plan)
                                .step(step, each -> PlanEdits.withResult(each, value, staged.offset()));
                        demandRace(mutated, windows, beside.name());
                        reused++;
                    }
                }
            }
        }
        assertThat(reused).isGreaterThan(5);
    }

    /** A rank would send what its share was before the update. */
    @Test
    void noStaleShareCanBeGathered() {
        ExecutionPlan plan = plan(Sharding.OPTIMIZER);
        PlanEdits edits = new PlanEdits(plan);
        List<Integer> gathers = IntStream.range(0, plan.steps().size())
                .filter(step -> isGatherOfUpdates(plan, step))
                .boxed()
                .toList();
        assertThat(gathers).hasSize(3);
        for (int gather : gathers) {
            int sent = plan.steps().get(gather).reads().getFirst().value();
            ExecutionPlan mutated = edits.moved(gather, edits.writer(sent));
            assertThatThrownBy(() -> ArenaChecker.check(mutated)).isInstanceOf(PlanViolationException.class);
        }
    }

    private static Op op(ExecutionPlan plan, int step) {
        return plan.steps().get(step).body().instructions().getFirst().op();
    }

    private static boolean isGatherOfUpdates(ExecutionPlan plan, int step) {
        return op(plan, step) instanceof GatherShares && plan.section(step).times() == 1;
    }
}
