package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DrawnRowsTest {
    private static final DrawnRows OPEN = new DrawnRows(Dim.parse("4*B"), 3);

    private static final List<Op> OPS = List.of(
            new Dropout(0.1, 3).withDrawnRows(OPEN),
            new DropoutGradient(new Dropout(0.1, 3, Optional.of(OPEN))),
            new Draw(Draw.Kind.NORMAL, 0, 3, f32(2, "B", 4)).withDrawnRows(OPEN));

    @Test
    void isPartOfTheText() {
        for (Op op : OPS) {
            assertThat(op.drawnRows()).contains(OPEN);
            assertThat(op.attributes().toString()).endsWith(", block=4*B, pieces=3}");
            assertThat(Ops.parse(op.mnemonic(), op.attributes())).isEqualTo(op);
        }
        assertThat(new Dropout(0.1, 3).attributes()).hasToString("{p=0.1, ordinal=3}");
        assertThat(new Dropout(0.1, 3).drawnRows()).isEmpty();
    }

    @Test
    void refusesHalfOfTheText() {
        Attributes dropout = new Dropout(0.1, 3).attributes();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ops.parse("dropout", dropout.with("block", 4)))
                .withMessage("missing attribute pieces");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ops.parse("dropout", dropout.with("pieces", 4)))
                .withMessage("missing attribute block");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ops.parse("dropout", dropout.with("piece", 0)))
                .withMessage("missing attribute block");
        assertThatIllegalArgumentException().isThrownBy(() -> new DrawnRows(Dim.ONE, 0));
    }

    @Test
    void namesThePiece() {
        for (Op op : OPS) {
            Op named = op.atPiece(2);
            assertThat(named.drawnRows()).contains(OPEN.withPiece(2));
            assertThat(named.attributes().toString()).endsWith(", block=4*B, pieces=3, piece=2}");
            assertThat(Ops.parse(named.mnemonic(), named.attributes())).isEqualTo(named);
            assertThat(named.atPiece(0).drawnRows()).contains(OPEN.withPiece(0));
            assertThatIllegalArgumentException().isThrownBy(() -> op.atPiece(3)).withMessage("draws for piece 3 of 3");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Ops.parse(op.mnemonic(), op.attributes().with("piece", -1)))
                    .withMessage("draws for piece -1 of 3");
        }
    }

    @Test
    void namesNoPieceOfAWhole() {
        for (Op op : List.of(
                new Dropout(0.1, 3),
                new DropoutGradient(new Dropout(0.1, 3)),
                new Draw(Draw.Kind.NORMAL, 0, 3, f32(2, 4)),
                new Unary(Unary.Kind.EXP))) {
            assertThat(op.atPiece(2)).isEqualTo(op);
        }
    }

    @Test
    void bindsTheBlock() {
        for (Op op : OPS) {
            Op bound = op.bind(dim -> dim.isConstant() ? dim : dim.equals(Dim.symbol("B")) ? Dim.of(5) : Dim.of(20));
            assertThat(bound.drawnRows()).contains(new DrawnRows(Dim.of(20), 3));
            assertThat(op.atPiece(1).bind(dim -> Dim.of(20)).drawnRows())
                    .contains(new DrawnRows(Dim.of(20), 3).withPiece(1));
        }
    }

    @Test
    void wantsWholeBlocks() {
        Op dropout = new Dropout(0.1, 3).withDrawnRows(new DrawnRows(Dim.of(6), 3));
        assertThat(dropout.infer(List.of(f32(4, 3), TensorType.SEED)).getFirst())
                .isEqualTo(f32(4, 3));
        assertThat(dropout.infer(List.of(f32("B", 3), TensorType.SEED)).getFirst())
                .isEqualTo(f32("B", 3));
        assertThatThrownBy(() -> dropout.infer(List.of(f32(5, 3), TensorType.SEED)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("dropout of f32[5, 3] is not in whole blocks of 6");
        Op gradient = new DropoutGradient(new Dropout(0.1, 3, dropout.drawnRows()));
        assertThatThrownBy(() -> infer(gradient, f32(5, 3), TensorType.SEED)).isInstanceOf(ShapeException.class);
        Op draw = new Draw(Draw.Kind.UNIFORM, 0, 3, f32(5, 3)).withDrawnRows(new DrawnRows(Dim.ZERO, 3));
        assertThatThrownBy(() -> infer(draw, TensorType.SEED)).isInstanceOf(ShapeException.class);
    }

    /** Each element of the larger tensor lies in one piece, and there in the order of the larger one. */
    @Test
    void piecesMakeUpTheWhole() {
        int runs = 5;
        for (int block : new int[] {1, 3, 4, 6, 20}) {
            for (int pieces : new int[] {1, 2, 3, 8}) {
                DrawnRows rows = new DrawnRows(Dim.of(block), pieces);
                TreeSet<Long> seen = new TreeSet<>();
                for (int k = 0; k < pieces; k++) {
                    long before = -1;
                    for (long e = 0; e < (long) runs * block; e++) {
                        long whole = rows.whole(e, k);
                        assertThat(whole).isGreaterThan(before);
                        assertThat(whole / block % pieces).isEqualTo(k);
                        assertThat(seen.add(whole)).isTrue();
                        before = whole;
                    }
                }
                assertThat(seen).hasSize(runs * block * pieces);
                assertThat(seen.last()).isEqualTo((long) runs * block * pieces - 1);
            }
        }
    }

    /** Rows 7 of a piece of 2⁴⁰ elements lie where an index of the larger tensor [2, 8, 2³⁷] says. */
    @Test
    void countsBeyondWords() {
        long row = 1L << 37;
        DrawnRows rows = new DrawnRows(Dim.of(2 * row), 4);
        assertThat(rows.whole(2 * row + row + 5, 3)).isEqualTo(8 * row + 7 * row + 5);
        assertThat(rows.whole(row - 1, 1)).isEqualTo(3 * row - 1);
        DrawnRows odd = new DrawnRows(Dim.of(3), 5);
        assertThat(odd.whole(3 * row + 2, 4)).isEqualTo(15 * row + 12 + 2);
    }
}
