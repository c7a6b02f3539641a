package dev.remat.ir.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelStepBuilderTest {
    private static final TensorType TYPE = TensorType.of(DType.F32, 10);

    private final SequentialArena arena = new SequentialArena(64);
    private final KernelStepBuilder builder = new KernelStepBuilder("y", Role.BACKWARD, Location.NONE);

    private KernelStep negation() {
        Operand x = builder.read(MemoryRead.dense(3, arena.place(40), TYPE));
        Operand.FromInstruction y = builder.add(new Unary(Unary.Kind.NEG), List.of(TYPE), List.of(x));
        return builder.write(4, "y", arena.place(40), y)
                .workspace(arena.range(7))
                .build();
    }

    @Test
    void placesOneBufferAfterTheOther() {
        KernelStep step = negation();
        assertThat(step.reads()).containsExactly(MemoryRead.dense(3, 0, TYPE));
        assertThat(step.writes()).containsExactly(MemoryWrite.dense(4, "y", 64, TYPE, 0, 0));
        assertThat(step.workspace()).isEqualTo(new ByteRange(128, 7));
        assertThat(arena.bytes()).isEqualTo(192);
    }

    @Test
    void keepsReadsApartThatLieInOneBuffer() {
        builder.read(MemoryRead.dense(3, 0, TYPE));
        builder.read(MemoryRead.dense(3, 0, TYPE));
        builder.read(MemoryRead.dense(3, 64, TYPE));
        KernelStep step = builder.build();
        assertThat(step.reads()).hasSize(3);
        assertThat(step.buffers()).containsExactly(new Placement(3, 0), new Placement(3, 64));
    }

    @Test
    void aStepPlacesAllThatItsBodyTouches() {
        KernelStep whole = negation();
        assertThatThrownBy(() -> new KernelStep(
                        "y",
                        Role.FORWARD,
                        Location.NONE,
                        false,
                        whole.body(),
                        List.of(),
                        whole.results(),
                        ByteRange.EMPTY,
                        List.of()))
                .hasMessageContaining("step y does not place");
    }
}
