package dev.remat.compiler.simplify;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.HandGraph;
import dev.remat.ir.Graph;
import dev.remat.ir.Origin;
import dev.remat.ir.Region;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.op.Unary;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeadPinsTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Location PLACE = new Location("a.model", 3, 1);
    private static final Region BLOCK = new Region(0, 1, PLACE, Optional.empty());

    private static void check(Graph graph) {
        DeadPins.refuse(graph, RemoveDeadNodes.run(graph));
    }

    private static HandGraph twoNodes() {
        return new HandGraph()
                .data("x", 4)
                .node("dead", EXP, "x")
                .node("y", EXP, "x")
                .output("loss", "y");
    }

    @Test
    void refusesPinsOnDeadValues() {
        assertThatThrownBy(() -> check(twoNodes().pin("dead", PLACE).build()))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("a.model:3:1")
                .hasMessageContaining("E0401");
        assertThatCode(() -> check(twoNodes().pin("y", PLACE).build())).doesNotThrowAnyException();
    }

    @Test
    void refusesDeadBlocks() {
        HandGraph graph = new HandGraph().data("x", 4);
        graph.builder().at(new Origin(PLACE, "", Optional.of(BLOCK)));
        graph.node("dead", EXP, "x");
        graph.builder().at(Origin.NONE);
        graph.node("y", EXP, "x").output("loss", "y");
        assertThatThrownBy(() -> check(graph.build()))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("nothing in this block");
    }

    @Test
    void acceptsBlocksThatAreDeadInPart() {
        HandGraph graph = new HandGraph().data("x", 4);
        graph.builder().at(new Origin(PLACE, "", Optional.of(BLOCK)));
        graph.node("dead", EXP, "x").node("y", EXP, "x").output("loss", "y");
        assertThatCode(() -> check(graph.build())).doesNotThrowAnyException();
    }
}
