package dev.remat.ir.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnchoredStepTest {
    private static final TensorType SQUARE = TensorType.of(DType.F32, 4, 4);
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final StridedView TURNED = StridedView.dense(SQUARE.shape()).transpose(List.of(1, 0));

    private record Anchored(KernelStep step, int anchor) implements AnchoredStep {}

    private final KernelStepBuilder builder = new KernelStepBuilder("y", Role.FORWARD, Location.NONE);
    private final Operand x = builder.read(MemoryRead.dense(0, 256, SQUARE));
    private final Operand turned = builder.read(new MemoryRead(1, 512, 64, DType.F32, TURNED));
    private final Operand.FromInstruction product =
            builder.add(new MatMul(false, false), List.of(SQUARE), List.of(x, turned));

    private static AnchoredStep anchored(KernelStep step) {
        return new Anchored(step, step.body().anchor());
    }

    private AnchoredStep alone() {
        return anchored(builder.write(2, "y", 1024, product)
                .workspace(new ByteRange(2048, 100))
                .build());
    }

    private AnchoredStep withEpilogue() {
        Operand.FromInstruction exp = builder.add(EXP, List.of(SQUARE), List.of(product));
        return anchored(builder.write(2, "y", 1024, exp).build());
    }

    @Test
    void findsOperandsAndResults() {
        AnchoredStep step = alone();
        assertThat(step.op()).isEqualTo(new MatMul(false, false));
        assertThat(step.dense(0)).isEqualTo(256);
        assertThat(step.read(1).view()).isEqualTo(TURNED);
        assertThat(step.operandTypes()).containsExactly(SQUARE, SQUARE);
        assertThat(step.stored(0)).map(MemoryWrite::offset).contains(1024L);
        assertThat(step.hasEpilogue()).isFalse();
    }

    @Test
    void whatTheStepGoesOnFromIsNotStored() {
        AnchoredStep step = withEpilogue();
        assertThat(step.hasEpilogue()).isTrue();
        assertThat(step.hasResult(0)).isFalse();
    }

    @Test
    void refusesToTakeWhatIsStridedForDense() {
        assertThatThrownBy(() -> alone().dense(1)).hasMessage("y: operand 1 of matmul is not dense");
    }

    @Test
    void refusesToLookInMemoryForWhatTheStepMakes() {
        KernelStep step = withEpilogue().step();
        assertThatThrownBy(() -> new Anchored(step, 1).read(0)).hasMessage("y: operand 0 of exp is not in memory");
        assertThat(new Anchored(step, 1).operandType(0)).isEqualTo(SQUARE);
    }

    @Test
    void refusesWorkspacesThatAreTooSmall() {
        AnchoredStep step = alone();
        assertThat(step.workspace(100)).isEqualTo(2048);
        assertThatThrownBy(() -> step.workspace(101)).hasMessage("y: needs 101 bytes of workspace, the plan has 100");
    }
}
