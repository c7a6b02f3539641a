package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.text.GraphParser;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Exchanges run beside kernels, and touch nothing that these touch meanwhile. */
class ExchangeLaneTest {
    /** Kernels 0 to 4: what is sent, the exchange, two that do not care, and the sum. */
    private static ExecutionPlan plan(String added) {
        KernelGraph kernels = Kernels.of(GraphParser.parse("""
            input %x f32[2048]
            input %sum f32[1024] accumulator
            input %k i64[] micro_batch
            %sent = softmax(%x)
            %all = scatter_shares{ranks=2}(%sent)
            %y = softmax(%x)
            %z = softmax(%y)
            %next = accumulate(ADDED) update
            output %z
            output %next
            """.replace("ADDED", added)));
        return BuildExecutionPlan.run(kernels, PlanArena.run(kernels, Kernels.TARGET), "00", "test", 0);
    }

    private static ExchangeWindow until(ExchangeWindow window, int end) {
        return new ExchangeWindow(window.begin(), end, window.sent(), window.received());
    }

    @Test
    void kernelsWaitInFrontOfWhatReadsIt() {
        ExecutionPlan plan = plan("%sum, %all, %sent, %k");
        List<ExchangeWindow> windows = ExchangeWindow.of(plan);
        assertThat(windows).singleElement().satisfies(window -> {
            assertThat(window.begin()).isEqualTo(1);
            assertThat(window.end()).isEqualTo(4);
        });
        LaneChecker.check(plan);
        assertThatThrownBy(() -> LaneChecker.check(plan, List.of(until(windows.getFirst(), 5))))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("is read while an exchange may still write it");
    }

    /** Nothing holds on to what was sent, so that its place is taken while others may still read it. */
    @Test
    void kernelsWaitInFrontOfWhatOverwritesWhatWasSent() {
        ExecutionPlan plan = plan("%sum, %all, %k");
        List<ExchangeWindow> windows = ExchangeWindow.of(plan);
        assertThat(windows.getFirst().end()).isLessThan(4);
        LaneChecker.check(plan);
        assertThatThrownBy(() -> LaneChecker.check(plan, List.of(until(windows.getFirst(), 4))))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("is written while an exchange may still read it");
    }
}
