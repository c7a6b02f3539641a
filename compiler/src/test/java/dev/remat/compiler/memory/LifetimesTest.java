package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.Role;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class LifetimesTest {
    private static final Softmax SOFTMAX = new Softmax();
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Binary ADD = new Binary(Binary.Kind.ADD);

    private static ValueId find(Graph graph, String name) {
        return graph.values().stream()
                .filter(v -> v.name().equals(name))
                .findFirst()
                .orElseThrow()
                .id();
    }

    /** Places as {@code name[first, last]}. */
    private static List<String> places(HandGraph hand) {
        KernelGraph kernels = Kernels.of(hand.build());
        return Lifetimes.of(kernels).places().stream()
                .map(p -> kernels.graph().value(p.owner()).name() + "[" + p.first() + ", " + p.last() + "]")
                .toList();
    }

    private static String owner(HandGraph hand, String name) {
        KernelGraph kernels = Kernels.of(hand.build());
        return kernels.graph()
                .value(Lifetimes.of(kernels).owner(find(kernels.graph(), name)))
                .name();
    }

    @Test
    void lastsFromTheFirstWriteToTheLastRead() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", SOFTMAX, "a")
                .node("c", SOFTMAX, "b")
                .node("d", new MatMul(false, false), "c", "a")
                .output("y", "d");
        assertThat(places(graph)).containsExactly("x[0, 3]", "a[0, 3]", "b[1, 2]", "c[2, 3]", "d[3, 3]");
    }

    @Test
    void keepsOutputsToTheEnd() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", SOFTMAX, "x")
                .output("early", "a")
                .output("late", "b");
        assertThat(places(graph)).contains("a[0, 1]");
    }

    @Test
    void keepsABufferForAsLongAsItsViews() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("view", new Reshape(Shape.of(2, 8)), "a")
                .node("b", SOFTMAX, "x")
                .node("c", SOFTMAX, "view")
                .output("b", "b")
                .output("c", "c");
        assertThat(places(graph)).contains("a[0, 2]").noneMatch(place -> place.startsWith("view"));
    }

    @Test
    void computesInThePlaceOfAnOperandThatDies() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", EXP, "a")
                .node("c", SOFTMAX, "b")
                .output("y", "c");
        assertThat(owner(graph, "b")).isEqualTo("a");
        assertThat(places(graph)).contains("a[0, 2]");
    }

    @Test
    void leavesThePlaceOfAnOperandThatLives() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", EXP, "a")
                .node("c", SOFTMAX, "b")
                .node("d", new MatMul(false, false), "c", "a")
                .output("y", "d");
        assertThat(owner(graph, "b")).isEqualTo("b");
    }

    @Test
    void leavesThePlaceOfInputsAndOutputs() {
        HandGraph input = new HandGraph()
                .data("x", 4, 4)
                .node("b", EXP, "x")
                .node("c", SOFTMAX, "b")
                .output("y", "c");
        assertThat(owner(input, "b")).isEqualTo("b");
        HandGraph output = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", EXP, "a")
                .output("a", "a")
                .output("b", "b");
        assertThat(owner(output, "b")).isEqualTo("b");
    }

    @Test
    void leavesPlacesThatAreReadAskewOrOfAnotherSize() {
        HandGraph askew = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("t", new Transpose(List.of(1, 0)), "a")
                .node("b", EXP, "t")
                .output("y", "b");
        assertThat(owner(askew, "b")).isEqualTo("b");
        HandGraph twice = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("t", new Transpose(List.of(1, 0)), "a")
                .node("b", ADD, "a", "t")
                .output("y", "b");
        assertThat(owner(twice, "b")).isEqualTo("b");
        HandGraph narrow = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", new Cast(DType.BF16), "a")
                .output("y", "b");
        assertThat(owner(narrow, "b")).isEqualTo("b");
        HandGraph product = new HandGraph()
                .data("x", 4, 4)
                .node("a", SOFTMAX, "x")
                .node("b", SOFTMAX, "a")
                .output("y", "b");
        assertThat(owner(product, "b")).isEqualTo("b");
    }

    @Test
    void updatesInThePlaceOfTheParameter() {
        HandGraph graph = new HandGraph()
                .parameter("w", 4, 4)
                .data("rate", TensorType.scalar(DType.F32))
                .node("g", SOFTMAX, "w")
                .as(Role.UPDATE)
                .node("next", new SgdUpdate(0, 0, false, 0, false), "w", "g", "rate")
                .output("g", "g");
        assertThat(owner(graph, "next")).isEqualTo("w");
    }
}
