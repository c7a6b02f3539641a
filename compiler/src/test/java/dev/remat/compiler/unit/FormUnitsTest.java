package dev.remat.compiler.unit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.compiler.TestTarget;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.Origin;
import dev.remat.ir.Region;
import dev.remat.ir.Role;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FormUnitsTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Binary ADD = new Binary(Binary.Kind.ADD);
    private static final MatMul PRODUCT = new MatMul(false, false);
    private static final Location PLACE = new Location("a.model", 2, 2);

    private static HandGraph start() {
        return new HandGraph().data("x", 8, 8).parameter("w", 8, 8);
    }

    private static List<String> run(HandGraph graph) {
        Graph built = graph.build();
        return Brief.units(built, FormUnits.run(built, new TestTarget()).units());
    }

    private static List<String> run(HandGraph graph, Op op) {
        return run(graph.node("h", EXP, "x").node("y", op, "h").output("y", "y"));
    }

    @Test
    void keepsChainsOfElementwiseNodesInOneKernel() {
        HandGraph graph = start().node("a", EXP, "x")
                .node("b", ADD, "a", "w")
                .node("c", EXP, "b")
                .output("y", "c");
        assertThat(run(graph)).containsExactly("a b c -> c");
    }

    @Test
    void leavesRunningSumsOfGradientsInTheirPlace() {
        HandGraph sum = start().as(Role.BACKWARD)
                .node("g", PRODUCT, "w", "x")
                .node("p", PRODUCT, "x", "w")
                .node("s", ADD, "g", "p")
                .output("s", "s");
        assertThat(run(sum)).containsExactly("g -> g", "p -> p", "s -> s");
        HandGraph forward = start().node("g", PRODUCT, "w", "x")
                .node("p", PRODUCT, "x", "w")
                .node("s", ADD, "g", "p")
                .output("s", "s");
        assertThat(run(forward)).containsExactly("g -> g", "p s -> s");
    }

    @Test
    void endsAUnitWhereTwoRead() {
        HandGraph graph = start().node("a", EXP, "x")
                .node("b", EXP, "a")
                .node("c", ADD, "a", "b")
                .output("y", "c");
        assertThat(run(graph)).containsExactly("a -> a", "b c -> c");
    }

    @Test
    void endsAUnitAtOutputsAndPins() {
        HandGraph output =
                start().node("a", EXP, "x").node("b", EXP, "a").output("a", "a").output("b", "b");
        assertThat(run(output)).containsExactly("a -> a", "b -> b");
        HandGraph pin =
                start().node("a", EXP, "x").node("b", EXP, "a").pin("a", PLACE).output("b", "b");
        assertThat(run(pin)).containsExactly("a -> a", "b -> b");
    }

    @Test
    void endsAUnitAtTheBorderOfABlockAndOfTheForwardPass() {
        HandGraph block = start();
        block.builder().at(new Origin(PLACE, "", Optional.of(new Region(0, 1, PLACE, Optional.empty()))));
        block.node("a", EXP, "x");
        block.builder().at(Origin.NONE);
        assertThat(run(block.node("b", EXP, "a").output("b", "b"))).containsExactly("a -> a", "b -> b");
        HandGraph roles = start().node("a", EXP, "x")
                .as(Role.BACKWARD)
                .node("b", EXP, "a")
                .output("b", "b");
        assertThat(run(roles)).containsExactly("a -> a", "b -> b");
    }

    @Test
    void takesElementwiseWorkIntoReductionsThatCan() {
        assertThat(run(start(), new Reduce(Reduce.Kind.SUM, List.of(1)))).containsExactly("h y -> y");
        assertThat(run(start(), new Softmax())).containsExactly("h -> h", "y -> y");
    }

    @Test
    void takesElementwiseWorkOntoAnAnchorThatCan() {
        HandGraph product = start().node("p", PRODUCT, "x", "w")
                .node("a", ADD, "p", "x")
                .node("b", EXP, "a")
                .output("y", "b");
        assertThat(run(product)).containsExactly("p a b -> b");
        HandGraph softmax =
                start().node("p", new Softmax(), "x").node("a", ADD, "p", "x").output("y", "a");
        assertThat(run(softmax)).containsExactly("p -> p", "a -> a");
    }

    @Test
    void anchorsOneNodeOnly() {
        HandGraph graph = start().node("p", PRODUCT, "x", "w")
                .node("q", PRODUCT, "w", "x")
                .node("a", ADD, "p", "q")
                .output("y", "a");
        assertThat(run(graph)).containsExactly("p -> p", "q a -> a");
    }

    @Test
    void keepsAnAnchorApartFromAResultOfAnotherType() {
        HandGraph graph = start().node("p", PRODUCT, "x", "w")
                .node("c", new Cast(DType.BF16), "p")
                .output("y", "c");
        assertThat(run(graph)).containsExactly("p -> p", "c -> c");
    }

    /** The gradients of tied weights: the product must not wait for the sum with all it reads. */
    @Test
    void letsNothingWaitThatKeepsMoreAlive() {
        HandGraph graph = start().node("large", EXP, "x")
                .node("p", PRODUCT, "large", "large")
                .node("other", PRODUCT, "w", "w")
                .node("s", new Softmax(), "other")
                .node("a", ADD, "p", "s")
                .output("y", "a");
        assertThat(run(graph)).as("p keeps as much as it gives").contains("p a -> a");
        HandGraph twice = start().node("one", new Softmax(), "x")
                .node("two", new Softmax(), "w")
                .node("p", PRODUCT, "one", "two")
                .node("other", PRODUCT, "w", "w")
                .node("s", new Softmax(), "other")
                .node("a", ADD, "p", "s")
                .output("y", "a");
        assertThat(run(twice)).as("p keeps twice what it gives").contains("p -> p", "a -> a");
    }

    @Test
    void runsUpdatesAfterTheLastReader() {
        SgdUpdate update = new SgdUpdate(0, 0, false, 0, false);
        HandGraph graph = start().data("rate", TensorType.scalar(DType.F32))
                .node("g", EXP, "w")
                .as(Role.UPDATE)
                .node("u", update, "w", "g", "rate")
                .as(Role.BACKWARD)
                .node("late", PRODUCT, "x", "w")
                .node("other", PRODUCT, "x", "x")
                .output("y", "late")
                .output("z", "other");
        assertThat(run(graph)).containsExactly("g -> g", "late -> late", "u -> ", "other -> other");
    }
}
