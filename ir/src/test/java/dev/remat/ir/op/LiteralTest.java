package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiteralTest {
    private static final IndexMap ROW = IndexMap.ROW;

    @Test
    void iotaHasTheTypeItNames() {
        Iota positions = new Iota(1, 2, ROW, i64("T"));
        assertThat(positions.infer(List.of())).containsExactly(i64("T"));
        assertThat(positions.bind(dim -> Dim.of(5))).isEqualTo(new Iota(1, 2, ROW, i64(5)));
    }

    @Test
    void iotaRefusesWhatItsDtypeCannotHold() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Iota(0, 0.5, ROW, i64(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Iota(0, Double.POSITIVE_INFINITY, ROW, f32(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Iota(0, 1, ROW, Types.bool(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Iota(0, 1, ROW, f32(3, 3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new IndexMap(-1, List.of(1L)));
    }

    @Test
    void constantsMayCountInSymbols() {
        Constant rows = new Constant(0.5, Dim.parse("2*B+1"), f32("B"));
        assertThat(rows.infer(List.of())).containsExactly(f32("B"));
        assertThatIllegalStateException().isThrownBy(rows::value);
        Op bound = rows.bind(dim -> dim.replace(Dim.symbol("B"), Dim.of(5)));
        assertThat(bound).isEqualTo(new Constant(5.5, f32(5)));
        assertThat(rows.attributes().toString()).contains("extent=2*B+1");
        assertThat(bound.attributes().toString()).doesNotContain("extent");
        assertThatIllegalArgumentException().isThrownBy(() -> new Constant(1, Dim.symbol("B"), Types.bool(3)));
    }

    @Test
    void tableRefusesNumbersBeyondItsLastAndThoseOfOtherDtypes() {
        assertThat(new Table(List.of(1.0, 2.0), ROW, i64(2)).infer(List.of())).containsExactly(i64(2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Table(List.of(1.0, 2.0), ROW, i64(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Table(List.of(1.5), ROW, i64(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Table(List.of(), ROW, f32(0)));
        List<Double> many = Collections.nCopies(Table.MOST_VALUES + 1, 1.0);
        assertThatIllegalArgumentException().isThrownBy(() -> new Table(many, ROW, f32(many.size())));
    }

    @Test
    void viewsOfRowsAreLiterals() {
        Iota row = new Iota(0, 1, ROW, f32(6));
        StridedView column =
                StridedView.dense(Shape.of(2, 3)).transpose(List.of(1, 0)).slice(List.of(1L, 0L), List.of(2L, 2L));
        assertThat(row.through(column, f32(2, 2)))
                .isEqualTo(new Iota(0, 1, new IndexMap(1, List.of(1L, 3L)), f32(2, 2)));
        assertThat(row.isFlat()).isTrue();
        assertThat(row.through(column, f32(2, 2)).isFlat()).isFalse();
    }
}
