package dev.remat.compiler.simplify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.Role;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Unary;
import org.junit.jupiter.api.Test;

class EliminateCommonSubexpressionsTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Binary ADD = new Binary(Binary.Kind.ADD);

    private static Graph run(HandGraph graph) {
        return EliminateCommonSubexpressions.run(graph.build());
    }

    @Test
    void computesEqualNodesOnce() {
        HandGraph graph = new HandGraph()
                .data("x", 4)
                .node("a", EXP, "x")
                .node("b", EXP, "x")
                .node("c", ADD, "a", "b")
                .node("d", ADD, "b", "a")
                .node("e", ADD, "c", "d")
                .output("y", "e");
        assertThat(Brief.of(run(graph))).containsExactly("a = exp(x)", "c = add(a, a)", "e = add(c, c)", "output y e");
    }

    @Test
    void tellsOperandsAndOperationsApart() {
        HandGraph graph = new HandGraph()
                .data("x", 4)
                .data("z", 4)
                .node("a", EXP, "x")
                .node("b", EXP, "z")
                .node("c", new Unary(Unary.Kind.TANH), "x")
                .node("d", ADD, "a", "b")
                .node("e", ADD, "d", "c")
                .output("y", "e");
        assertThat(run(graph)).isEqualTo(graph.build());
    }

    @Test
    void leavesDrawsOfDifferentOrdinals() {
        HandGraph graph = new HandGraph()
                .data("x", 4)
                .node("seed", new StepSeed())
                .node("a seed.1", new Dropout(0.5, 0), "x", "seed")
                .node("b seed.2", new Dropout(0.5, 1), "x", "seed.1")
                .node("c", ADD, "a", "b")
                .output("y", "c");
        assertThat(run(graph)).isEqualTo(graph.build());
    }

    @Test
    void leavesUpdates() {
        SgdUpdate update = new SgdUpdate(0, 0, false, 0, false);
        HandGraph graph = new HandGraph()
                .parameter("w", 4)
                .data("g", 4)
                .data("rate", TensorType.scalar(DType.F32))
                .as(Role.UPDATE)
                .node("u", update, "w", "g", "rate")
                .node("v", update, "w", "g", "rate");
        assertThat(run(graph)).isEqualTo(graph.build());
    }

    @Test
    void handsPinsOn() {
        Location place = new Location("a.model", 3, 1);
        HandGraph graph = new HandGraph()
                .data("x", 4)
                .node("a", EXP, "x")
                .node("b", EXP, "x")
                .node("c", ADD, "a", "b")
                .pin("b", place)
                .output("y", "c");
        assertThat(run(graph).value(graph.id("a")).pin()).contains(place);
    }
}
