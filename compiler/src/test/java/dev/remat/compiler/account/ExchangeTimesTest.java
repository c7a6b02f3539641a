package dev.remat.compiler.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.account.ExchangeTimes.Wait;
import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.Kernels;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.Link;
import dev.remat.ir.text.GraphParser;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Times of exchanges beside kernels, by hand. */
class ExchangeTimesTest {
    /** 4,096 bytes at a byte a nanosecond behind one message of 5 ns. */
    private static final Link LINK = new Link(1_000_000_000, 5);

    private static final long TAKEN = 4_101;

    /** Kernels 0 to 4: what is sent, the exchange, two that do not care, and the sum. */
    private static ExecutionPlan plan() {
        KernelGraph kernels = Kernels.of(GraphParser.parse("""
            input %x f32[2048]
            input %sum f32[1024] accumulator
            input %k i64[] micro_batch
            %sent = softmax(%x)
            %all = scatter_shares{ranks=2}(%sent)
            %y = softmax(%x)
            %z = softmax(%y)
            %next = accumulate(%sum, %all, %sent, %k) update
            output %z
            output %next
            """));
        return BuildExecutionPlan.run(kernels, PlanArena.run(kernels, Kernels.TARGET), "00", "test", 0);
    }

    private static RoundTimes round(ExecutionPlan plan, Optional<Link> link, Long... kernels) {
        RoundTimes.Lanes lanes = new RoundTimes.Lanes(plan, List.of(), link);
        return RoundTimes.of(lanes, plan.sections().getFirst(), StepTimes.measured("by hand", List.of(kernels)));
    }

    private static ExchangeTimes times(Long... kernels) {
        RoundTimes.Lanes lanes = new RoundTimes.Lanes(plan(), List.of(), Optional.of(LINK));
        return ExchangeTimes.of(lanes, StepTimes.measured("by hand", List.of(kernels)));
    }

    /** From 100 ns on; kernels have come to 1,600 ns, and take 1,610 ns with the last. */
    @Test
    void kernelsWaitForWhatTheyDoNotHide() {
        ExchangeTimes times = times(100L, 7L, 1_000L, 500L, 10L);
        double waited = 100 + TAKEN - 1_600;
        assertThat(times.waits()).containsExactly(new Wait("all", 1, 4, waited));
        assertThat(times.waited()).isCloseTo(waited, within(1e-9));
        assertThat(times.alone()).isCloseTo(1_610, within(1e-9));
        assertThat(times.efficiency()).isCloseTo(1_610 / (1_610 + waited), within(1e-12));
    }

    @Test
    void kernelsThatHideItDoNotWait() {
        ExchangeTimes times = times(100L, 7L, 4_000L, 500L, 10L);
        assertThat(times.waited()).isZero();
        assertThat(times.lost()).isZero();
        assertThat(times.nanos()).isCloseTo(4_610, within(1e-9));
        assertThat(times.efficiency()).isEqualTo(1);
    }

    @Test
    void aLaneRunsBesideKernels() {
        RoundTimes round = round(plan(), Optional.of(LINK), 100L, 7L, 1_000L, 500L, 10L);
        assertThat(round.begins()).containsExactly(0L, 100L, 100L, 1_100L, 100 + TAKEN);
        assertThat(round.exchanges()).singleElement().satisfies(exchange -> {
            assertThat(exchange.begin()).isEqualTo(100);
            assertThat(exchange.end()).isEqualTo(100 + TAKEN);
            assertThat(exchange.awaited()).isEqualTo(4);
            assertThat(exchange.waited()).isEqualTo(100 + TAKEN - 1_600);
        });
        assertThat(round.end()).isEqualTo(110 + TAKEN);
    }

    /** The same, where 4,096 bytes take 50 ns from kernels: they come to the sum so much later, and wait less. */
    @Test
    void kernelsLoseWhatMovesBytesBesideThem() {
        Link busy = new Link(1_000_000_000, 5, 12_206);
        RoundTimes.Lanes lanes = new RoundTimes.Lanes(plan(), List.of(), Optional.of(busy));
        for (long second : List.of(1_000L, 4_000L)) {
            ExchangeTimes times =
                    ExchangeTimes.of(lanes, StepTimes.measured("by hand", List.of(100L, 7L, second, 500L, 10L)));
            double waited = second == 1_000 ? 100 + TAKEN - 1_650 : 0;
            assertThat(times.lost()).isEqualTo(50);
            assertThat(times.waited()).isEqualTo(waited);
            assertThat(times.alone()).isEqualTo(610 + second);
            assertThat(times.nanos()).isEqualTo(610 + second + 50 + waited);
            assertThat(times.efficiency()).isCloseTo((610 + second) / times.nanos(), within(1e-12));
        }
    }

    /** As it does where ranks are threads. */
    @Test
    void withoutALinkItTakesWhatACopyCosts() {
        RoundTimes round = round(plan(), Optional.empty(), 100L, 7L, 1_000L, 500L, 10L);
        assertThat(round.exchanges())
                .singleElement()
                .extracting(Exchanged::end, Exchanged::waited)
                .containsExactly(107L, 0L);
        assertThat(round.end()).isEqualTo(1_610);
    }
}
