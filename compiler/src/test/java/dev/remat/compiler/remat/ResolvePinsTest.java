package dev.remat.compiler.remat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.HandGraph;
import dev.remat.ir.Graph;
import dev.remat.ir.Origin;
import dev.remat.ir.Region;
import dev.remat.ir.Role;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.plan.Pin;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ResolvePinsTest {
    private static final Softmax SOFTMAX = new Softmax();
    private static final Location PLACE = new Location("a.model", 3, 5);

    private final HandGraph graph = new HandGraph().data("x", 8, 8);
    private String last = "x";

    private static Region block(int ordinal, int segments, Optional<Region> parent) {
        return new Region(ordinal, segments, new Location("a.model", 10 + ordinal, 1), parent);
    }

    /** Softmaxes one after the other, in the given blocks. */
    private ResolvePinsTest chain(Optional<Region> block, String... names) {
        graph.builder().at(new Origin(PLACE, "", block));
        for (String name : names) {
            graph.node(name, SOFTMAX, last);
            last = name;
        }
        return this;
    }

    /** A backward pass that reads the named values, the last first. */
    private Graph backward(String... read) {
        graph.output("loss", last);
        graph.builder().at(Origin.NONE);
        graph.as(Role.BACKWARD);
        String gradient = last;
        for (String name : read) {
            graph.node("d" + name, new MatMul(false, false), gradient, name);
            gradient = "d" + name;
        }
        return graph.output("grad", gradient).build();
    }

    private List<Pin> pins(Graph built, String... names) {
        PlanningProblem planning = Problems.of(built);
        return Stream.of(names)
                .map(name -> planning.problem().pin(Problems.node(planning, name)))
                .toList();
    }

    @Test
    void leavesEverythingOpenWithoutPins() {
        assertThat(pins(chain(Optional.empty(), "a", "b").backward("b", "a"), "a", "b", "db"))
                .containsOnly(Pin.NONE);
    }

    @Test
    void recomputesInsideABlockButNotWhatLeavesIt() {
        chain(Optional.empty(), "a")
                .chain(Optional.of(block(0, 1, Optional.empty())), "b", "c", "d")
                .chain(Optional.empty(), "e");
        assertThat(pins(backward("e", "d", "c", "b", "a"), "a", "b", "c", "d", "e"))
                .containsExactly(Pin.NONE, Pin.RECOMPUTE, Pin.RECOMPUTE, Pin.NONE, Pin.NONE);
    }

    @Test
    void cutsABlockIntoSegments() {
        chain(Optional.of(block(0, 2, Optional.empty())), "a", "b", "c", "d").chain(Optional.empty(), "e");
        assertThat(pins(backward("e", "d", "c", "b", "a"), "a", "b", "c", "d"))
                .containsExactly(Pin.RECOMPUTE, Pin.NONE, Pin.RECOMPUTE, Pin.NONE);
    }

    @Test
    void recomputesWhatLeavesAnInnerBlockWithTheOuter() {
        Region outer = block(0, 1, Optional.empty());
        Region inner = block(1, 1, Optional.of(outer));
        chain(Optional.of(outer), "a")
                .chain(Optional.of(inner), "b", "c")
                .chain(Optional.of(outer), "d")
                .chain(Optional.empty(), "e");
        assertThat(pins(backward("e", "d", "c", "b", "a"), "a", "b", "c", "d"))
                .containsExactly(Pin.RECOMPUTE, Pin.RECOMPUTE, Pin.RECOMPUTE, Pin.NONE);
    }

    @Test
    void keepsWhatIsAskedFor() {
        chain(Optional.of(block(0, 1, Optional.empty())), "a", "b", "c").chain(Optional.empty(), "d");
        graph.pin("b", PLACE);
        assertThat(pins(backward("d", "c", "b", "a"), "a", "b", "c"))
                .containsExactly(Pin.RECOMPUTE, Pin.RETAIN, Pin.NONE);
    }

    @Test
    void refusesToRetainWhatTheBackwardDoesNotNeed() {
        chain(Optional.empty(), "a", "b");
        graph.pin("b", PLACE);
        Graph built = graph.output("other", "a")
                .as(Role.BACKWARD)
                .node("da", SOFTMAX, "a")
                .output("grad", "da")
                .build();
        assertThatThrownBy(() -> Problems.of(built))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("a.model:3:5")
                .hasMessageContaining("does not need 'b'");
    }

    @Test
    void refusesToRetainInputs() {
        graph.pin("x", PLACE);
        Graph built = chain(Optional.empty(), "a").backward("a", "x");
        assertThatThrownBy(() -> Problems.of(built))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("E0401");
    }

    @Test
    void refusesBlocksWithoutEffect() {
        Graph built = chain(Optional.empty(), "a")
                .chain(Optional.of(block(4, 1, Optional.empty())), "b")
                .chain(Optional.empty(), "c")
                .backward("c", "b", "a");
        assertThatThrownBy(() -> Problems.of(built))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("a.model:14:1")
                .hasMessageContaining("nothing in this block is recomputed");
    }

    @Test
    void leavesPinsAloneWithoutABackwardPass() {
        chain(Optional.of(block(4, 1, Optional.empty())), "a", "b");
        Graph built = graph.pin("a", PLACE).output("loss", "b").build();
        assertThat(pins(built, "a", "b")).containsOnly(Pin.NONE);
    }
}
