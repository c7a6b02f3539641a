package dev.remat.compiler.simplify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.ir.Shape;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Unary;
import org.junit.jupiter.api.Test;

class ConcatenatePadsTest {
    private static final Binary ADD = new Binary(Binary.Kind.ADD);
    private static final Unary EXP = new Unary(Unary.Kind.EXP);

    private static Pad pad(long low, long high, double value) {
        return new Pad(Shape.of(low, 0).dims(), Shape.of(high, 0).dims(), value);
    }

    private static HandGraph thirds() {
        return new HandGraph()
                .data("x", 2, 5)
                .data("y", 3, 5)
                .data("z", 1, 5)
                .node("c", pad(5, 0, 0), "z")
                .node("a", pad(0, 4, 0), "x")
                .node("s", ADD, "c", "a");
    }

    @Test
    void slicesThatTileAnAxisAreLaidSideBySide() {
        HandGraph graph = thirds().node("b", pad(2, 1, 0), "y")
                .node("sum", ADD, "s", "b")
                .node("w", EXP, "sum")
                .output("out", "w");
        assertThat(Brief.of(ConcatenatePads.run(graph.build())))
                .containsExactly("sum = concat(x, y, z)", "w = exp(sum)", "output out w");
    }

    @Test
    void overlapsAndGapsStay() {
        HandGraph overlap =
                thirds().node("b", pad(1, 2, 0), "y").node("sum", ADD, "s", "b").output("out", "sum");
        assertThat(ConcatenatePads.run(overlap.build())).isEqualTo(overlap.build());
        HandGraph gap = thirds().output("out", "s");
        assertThat(ConcatenatePads.run(gap.build())).isEqualTo(gap.build());
    }

    @Test
    void paddingWithSomethingElseStays() {
        HandGraph graph =
                thirds().node("b", pad(2, 1, 1), "y").node("sum", ADD, "s", "b").output("out", "sum");
        assertThat(ConcatenatePads.run(graph.build())).isEqualTo(graph.build());
    }

    @Test
    void aPartThatIsReadElsewhereStays() {
        HandGraph graph = thirds().node("b", pad(2, 1, 0), "y")
                .node("sum", ADD, "s", "b")
                .node("e", EXP, "b")
                .output("out", "sum")
                .output("more", "e");
        assertThat(ConcatenatePads.run(graph.build())).isEqualTo(graph.build());
    }

    @Test
    void otherTermsAreAddedToTheRow() {
        HandGraph graph = thirds().data("g", 6, 5)
                .node("b", pad(2, 1, 0), "y")
                .node("sum", ADD, "s", "b")
                .node("total", ADD, "sum", "g")
                .output("out", "total");
        assertThat(Brief.of(ConcatenatePads.run(graph.build())))
                .containsExactly("sum = concat(x, y, z)", "total = add(sum, g)", "output out total");
    }
}
