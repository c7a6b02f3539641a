package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Softmax;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanArenaTest {
    private static final Softmax SOFTMAX = new Softmax();

    /** Tensors of 1024 bytes; the last kernel needs 512 bytes of scratch memory. */
    private final KernelGraph kernels = Kernels.of(new HandGraph()
            .data("x", 16, 16)
            .node("a", SOFTMAX, "x")
            .node("b", SOFTMAX, "a")
            .node("c", SOFTMAX, "b")
            .node("d", new MatMul(false, false), "c", "x")
            .output("y", "d")
            .build());

    private final MemoryPlan memory = PlanArena.run(kernels, Kernels.TARGET);

    private ByteRange range(String name) {
        return kernels.graph().values().stream()
                .filter(v -> v.name().equals(name))
                .map(v -> new ByteRange(memory.offsets().get(v.id()), v.type().bytes()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void countsWhatIsLiveAtEachKernel() {
        assertThat(memory.liveBytes())
                .as("x with a; a and b; b and c; c, d and workspace")
                .isEqualTo(List.of(2048L, 3072L, 3072L, 3584L));
        assertThat(memory.peakLiveBytes()).isEqualTo(3584);
    }

    @Test
    void reusesTheBytesOfTheDead() {
        assertThat(memory.arenaBytes()).isEqualTo(3584);
        assertThat(range("c")).isNotEqualTo(range("b"));
        assertThat(range("a").overlaps(range("b"))).isFalse();
    }

    @Test
    void placesWorkspacesApartFromWhatTheirKernelTouches() {
        ByteRange workspace = memory.workspaces().get(3);
        assertThat(workspace.bytes()).isEqualTo(512);
        for (String name : List.of("x", "c", "d")) {
            assertThat(workspace.overlaps(range(name))).as(name).isFalse();
        }
        assertThat(memory.workspaces().get(0).bytes()).isZero();
    }

    @Test
    void freesAfterTheLastReader() {
        assertThat(memory.freed().get(1)).containsExactly(range("a"));
        assertThat(memory.freed().get(0)).isEmpty();
        assertThat(memory.freed().stream().flatMap(List::stream)).doesNotContain(range("x"));
    }
}
