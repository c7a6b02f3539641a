package dev.remat.compiler.fusion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class LayoutsTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);

    private static Layout layout(HandGraph graph, String name) {
        Graph built = graph.build();
        return Layouts.of(built).get(graph.id(name));
    }

    @Test
    void followsViewsToTheirBuffer() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 6)
                .node("h", EXP, "x")
                .node("row", new Slice(Shape.of(2, 0).dims(), Shape.of(2, 6).dims()), "h")
                .node("turned", new Transpose(List.of(1, 0)), "row");
        assertThat(layout(graph, "turned"))
                .isEqualTo(new Layout(graph.id("h"), new StridedView(12, List.of(6L, 2L), List.of(1L, 6L))));
    }

    @Test
    void givesOtherResultsABufferOfTheirOwn() {
        HandGraph graph = new HandGraph().data("x", 4, 6).node("h", EXP, "x");
        assertThat(layout(graph, "h")).isEqualTo(new Layout(graph.id("h"), StridedView.dense(Shape.of(4, 6))));
        assertThat(layout(graph, "x").base()).isEqualTo(graph.id("x"));
    }

    @Test
    void ownsViewsThatNoStridesExpress() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 6)
                .node("turned", new Transpose(List.of(1, 0)), "x")
                .node("flat", new Reshape(Shape.of(24)), "turned");
        assertThat(layout(graph, "flat").base()).isEqualTo(graph.id("flat"));
    }

    @Test
    void givesSeedsNone() {
        HandGraph graph = new HandGraph()
                .data("x", TensorType.of(DType.F32, 4))
                .node("seed", new StepSeed())
                .node("y next", new Dropout(0.5, 0), "x", "seed");
        assertThat(Layouts.of(graph.build()).contains(graph.id("seed"))).isFalse();
        assertThat(Layouts.of(graph.build()).contains(graph.id("next"))).isFalse();
    }
}
