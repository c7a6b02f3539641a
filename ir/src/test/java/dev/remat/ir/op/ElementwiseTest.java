package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.bool;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import org.junit.jupiter.api.Test;

class ElementwiseTest {
    @Test
    void unaryKeepsTheType() {
        assertThat(infer(new Unary(Unary.Kind.EXP), bf16("B", 3))).isEqualTo(bf16("B", 3));
        assertThat(infer(new Unary(Unary.Kind.NEG), i64(3))).isEqualTo(i64(3));
        assertThat(infer(new Unary(Unary.Kind.NOT), bool(3))).isEqualTo(bool(3));
    }

    @Test
    void unaryRefusesOtherDtypes() {
        assertThatThrownBy(() -> infer(new Unary(Unary.Kind.EXP), i64(3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("exp takes floating point operands, got i64[3]");
        assertThatThrownBy(() -> infer(new Unary(Unary.Kind.NOT), f32(3))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Unary(Unary.Kind.NEG), bool(3))).isInstanceOf(ShapeException.class);
    }

    @Test
    void functionsOfRealsRefuseIntegers() {
        assertThat(infer(new Unary(Unary.Kind.SIN), f32("B"))).isEqualTo(f32("B"));
        assertThatThrownBy(() -> infer(new Unary(Unary.Kind.SIN), i64(3))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Unary(Unary.Kind.ROUND), i64(3))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Binary(Binary.Kind.ATAN2), i64(3), i64(3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("atan2 takes floating point operands, got i64[3]");
    }

    @Test
    void remaindersAreOfIntegersToo() {
        assertThat(infer(new Binary(Binary.Kind.REMAINDER), i64("B"), i64("B"))).isEqualTo(i64("B"));
        assertThat(infer(new Binary(Binary.Kind.FLOORDIV), f32("B"), f32("B"))).isEqualTo(f32("B"));
        assertThatThrownBy(() -> infer(new Binary(Binary.Kind.FMOD), bool("B"), bool("B")))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void binaryTakesEqualTypesOnly() {
        Binary add = new Binary(Binary.Kind.ADD);
        assertThat(infer(add, f32("B", "2*T"), f32("B", "T*2"))).isEqualTo(f32("B", "2*T"));
        assertThatThrownBy(() -> infer(add, f32("B", 3), f32(1, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("add takes operands of one type, got f32[B, 3] and f32[1, 3]");
        assertThatThrownBy(() -> infer(add, f32(3), bf16(3))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(add, f32(3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("add takes 2 operands, got 1");
        assertThatThrownBy(() -> infer(new Binary(Binary.Kind.DIV), i64(3), i64(3)))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void comparisonsGiveBools() {
        assertThat(infer(new Compare(Compare.Kind.LT), f32("B"), f32("B"))).isEqualTo(bool("B"));
        assertThat(infer(new Binary(Binary.Kind.AND), bool("B"), bool("B"))).isEqualTo(bool("B"));
        assertThatThrownBy(() -> infer(new Compare(Compare.Kind.LT), f32("B"), f32("C")))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void whereTakesACondition() {
        assertThat(infer(new Select(), bool("B"), i64("B"), i64("B"))).isEqualTo(i64("B"));
        assertThatThrownBy(() -> infer(new Select(), f32("B"), f32("B"), f32("B")))
                .isInstanceOf(ShapeException.class)
                .hasMessage("where wants a condition of bool, got f32[B]");
        assertThatThrownBy(() -> infer(new Select(), bool(1), f32(2), f32(2))).isInstanceOf(ShapeException.class);
    }

    @Test
    void castChangesTheDtype() {
        assertThat(infer(new Cast(DType.F16), bool("B"))).isEqualTo(Types.of(DType.F16, "B"));
        assertThatThrownBy(() -> infer(new Cast(DType.F32), TensorType.SEED)).isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new Cast(DType.SEED));
    }

    @Test
    void constantsHoldWhatTheirDtypeCan() {
        Constant whole = new Constant(2, i64("B", 3));
        assertThat(whole.infer(List.of())).containsExactly(i64("B", 3));
        assertThat(whole.bind(dim -> dim.isConstant() ? dim : Dim.of(5))).isEqualTo(new Constant(2, i64(5, 3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Constant(0.5, i64(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Constant(2, bool(3)));
    }

    @Test
    void emptyClampIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Clamp(1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Clamp(Double.NaN, 0));
        assertThat(infer(new Clamp(0, Double.POSITIVE_INFINITY), f32(3))).isEqualTo(f32(3));
    }

    @Test
    void countsOneOperationAnElement() {
        assertThat(flops(new Unary(Unary.Kind.EXP), f32(2, 3))).isEqualTo(6);
        assertThat(flops(new Binary(Binary.Kind.ADD), f32(2, 3), f32(2, 3))).isEqualTo(6);
        assertThat(flops(new LeakyRelu(0.1), f32(5))).isEqualTo(5);
        assertThat(flops(new Constant(1, f32(5)))).isZero();
    }
}
