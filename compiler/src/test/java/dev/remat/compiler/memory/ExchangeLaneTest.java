package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.plan.Lane;
import dev.remat.ir.text.GraphParser;
import java.util.ArrayList;
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

    /** A rank's share is gathered while the next is updated, and no parameter takes it before it has come. */
    @Test
    void parametersWaitForWhatOthersHaveMadeOfTheirShares() {
        KernelGraph kernels = Kernels.of(GraphParser.parse("""
            input %p f32[2048] parameter
            input %q f32[2048] parameter
            input %g f32[1024]
            input %m f32[1024] state
            input %n f32[1024] state
            input %rate f32[]
            %v1 = own_share{ranks=2, aligned=false}(%p) update
            %v2, %v3 = LION(%v1, %g, %m, %rate) update
            %v4 = gather_shares{ranks=2}(%v2) backward
            %v5 = own_share{ranks=2, aligned=false}(%q) update
            %v6, %v7 = LION(%v5, %g, %n, %rate) update
            %v8 = gather_shares{ranks=2}(%v6) backward
            %v9 = reshape{shape=[2048]}(%v4) backward
            %v10 = assign(%p, %v9) update
            %v11 = reshape{shape=[2048]}(%v8) backward
            %v12 = assign(%q, %v11) update
            """.replace(
                "LION", "update{rule=lion, states=1, steps=[add x2 g, mul x3 t0, sub p t1], results=[t2, t0]}")));
        ExecutionPlan plan = BuildExecutionPlan.run(kernels, PlanArena.run(kernels, Kernels.TARGET), "00", "test", 0);
        List<ExchangeWindow> windows = ExchangeWindow.of(plan);
        assertThat(windows).hasSize(2);
        assertThat(windows.getFirst().end() - windows.getFirst().begin())
                .as("kernels run beside it")
                .isGreaterThan(1);
        LaneChecker.check(plan);
        for (int k = 0; k < windows.size(); k++) {
            List<ExchangeWindow> mutated = new ArrayList<>(windows);
            mutated.set(k, until(windows.get(k), plan.steps().size()));
            assertThatThrownBy(() -> LaneChecker.check(plan, mutated))
                    .as("exchange %s", k)
                    .isInstanceOf(PlanViolationException.class);
        }
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

    /** What moves below the arena from the third kernel on, and until when the exchange then runs. */
    private static int endBeside(ExecutionPlan plan, boolean stores, ByteRange range, boolean awaited) {
        Lane lane = stores ? Lane.STORE : Lane.FETCH;
        Transfer moved = new Transfer(lane, 0, 0, 0, "moved", range, 0, List.of(), awaited);
        List<TransferEvent> events =
                awaited ? List.of(new Begin(1, moved), new Await(3, 0)) : List.of(new Begin(3, moved));
        ExecutionPlan moving = plan.withTransfers(new Transfers(List.of(new PlaceSize("host", range.bytes())), events));
        List<ExchangeWindow> windows = ExchangeWindow.of(moving);
        int end = windows.getFirst().end();
        LaneChecker.check(moving);
        if (end < 4) {
            assertThatThrownBy(() -> LaneChecker.check(moving, List.of(until(windows.getFirst(), 4))))
                    .isInstanceOf(PlanViolationException.class)
                    .hasMessageContaining("an exchange");
        }
        return end;
    }

    @Test
    void kernelsWaitInFrontOfWhatMovesTheSameBytes() {
        ExecutionPlan plan = plan("%sum, %all, %sent, %k");
        ExchangeWindow window = ExchangeWindow.of(plan).getFirst();
        assertThat(window.end()).isEqualTo(4);
        assertThat(endBeside(plan, true, window.received(), false)).isEqualTo(3);
        assertThat(endBeside(plan, true, window.sent(), true))
                .as("freed where the store is awaited")
                .isEqualTo(3);
    }

    /** Both may read what is sent, and other bytes are nobody's business. */
    @Test
    void exchangesRunBesideWhatMovesOtherwise() {
        ExecutionPlan plan = plan("%sum, %all, %sent, %k");
        ExchangeWindow window = ExchangeWindow.of(plan).getFirst();
        assertThat(endBeside(plan, true, window.sent(), false)).isEqualTo(4);
        ByteRange other = new ByteRange(plan.arenaBytes(), 64);
        assertThat(endBeside(plan, false, other, false)).isEqualTo(4);
    }
}
