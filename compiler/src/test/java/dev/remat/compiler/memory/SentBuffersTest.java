package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.text.GraphParser;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where there is room, what is sent is left alone until what comes for it is read. */
class SentBuffersTest {
    /** Of each parameter a share, its update and its exchange, and after both exchanges what has come. */
    private static final KernelGraph KERNELS = Kernels.of(GraphParser.parse("""
        input %p f32[2048] parameter
        input %q f32[2048] parameter
        input %g f32[1024]
        input %rate f32[]
        %v1 = own_share{ranks=2, aligned=false}(%p) update
        %v2 = update{rule=sgd, states=0, steps=[mul g x2, sub p t0], results=[t1]}(%v1, %g, %rate) update
        %v4 = gather_shares{ranks=2}(%v2) backward
        %v5 = own_share{ranks=2, aligned=false}(%q) update
        %v6 = update{rule=sgd, states=0, steps=[mul g x2, sub p t0], results=[t1]}(%v5, %g, %rate) update
        %v8 = gather_shares{ranks=2}(%v6) backward
        %v9 = reshape{shape=[2048]}(%v4) backward
        %v10 = assign(%p, %v9) update
        %v11 = reshape{shape=[2048]}(%v8) backward
        %v12 = assign(%q, %v11) update
        """));

    private static final int FIRST_ASSIGN = 6;

    private static MemoryPlan within(long roomBytes) {
        MemoryPlan other = PlanArena.run(KERNELS, Kernels.TARGET);
        List<ArenaTensor> kept = BuildExecutionPlan.inputs(KERNELS, other);
        return PlanArena.within(KERNELS, Kernels.TARGET, kept, roomBytes, new FoundLayouts());
    }

    private static int endOfFirst(MemoryPlan memory) {
        ExecutionPlan plan = BuildExecutionPlan.run(KERNELS, memory, "00", "test", 0);
        LaneChecker.check(plan);
        return ExchangeWindow.of(plan).getFirst().end();
    }

    @Test
    void nothingIsWrittenThereWhereTheArenaHasRoom() {
        MemoryPlan roomy = within(1 << 20);
        assertThat(endOfFirst(roomy)).isEqualTo(FIRST_ASSIGN);
        assertThat(roomy.arenaBytes()).isGreaterThan(within(0).arenaBytes());
    }

    @Test
    void theArenaIsAsLowAsItCanBeWhereItHasNone() {
        MemoryPlan tight = within(0);
        assertThat(endOfFirst(tight)).isLessThan(FIRST_ASSIGN);
        assertThat(tight.arenaBytes()).isEqualTo(within(tight.arenaBytes()).arenaBytes());
    }
}
