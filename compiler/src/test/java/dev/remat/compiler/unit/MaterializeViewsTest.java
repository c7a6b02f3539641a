package dev.remat.compiler.unit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.compiler.TestTarget;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class MaterializeViewsTest {
    private static final Transpose TURN = new Transpose(List.of(1, 0));
    private static final MatMul PRODUCT = new MatMul(false, false);

    private static List<String> run(HandGraph graph) {
        Graph result = MaterializeViews.run(graph.build(), new TestTarget());
        GraphVerifier.verify(result);
        return Brief.of(result);
    }

    @Test
    void copiesViewsForReadersWithoutStridesOnce() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .parameter("w", 4, 4)
                .node("t", TURN, "x")
                .node("y", PRODUCT, "t", "w")
                .node("z", PRODUCT, "w", "t")
                .node("sum", new Binary(Binary.Kind.ADD), "y", "z")
                .output("y", "sum");
        assertThat(run(graph))
                .containsExactly(
                        "t = transpose(x)",
                        "t.dense = contiguous(t)",
                        "y = matmul(t.dense, w)",
                        "z = matmul(w, t.dense)",
                        "sum = add(y, z)",
                        "output y sum");
    }

    @Test
    void letsElementwiseAndStridedReadersFollow() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 4)
                .node("t", TURN, "x")
                .node("y", new Unary(Unary.Kind.EXP), "t")
                .node("z", new Reduce(Reduce.Kind.SUM, List.of(0)), "t")
                .output("y", "y")
                .output("z", "z");
        assertThat(run(graph)).noneMatch(line -> line.contains("contiguous"));
    }

    @Test
    void leavesDenseViewsAlone() {
        HandGraph graph = new HandGraph()
                .data("x", 2, 8)
                .parameter("w", 4, 4)
                .node("r", new Reshape(Shape.of(4, 4)), "x")
                .node("y", PRODUCT, "r", "w")
                .output("y", "y");
        assertThat(run(graph)).containsExactly("r = reshape(x)", "y = matmul(r, w)", "output y y");
    }

    @Test
    void copiesBelowAViewThatNoStridesExpress() {
        HandGraph graph = new HandGraph()
                .data("x", 4, 6)
                .node("t", TURN, "x")
                .node("flat", new Reshape(Shape.of(24)), "t")
                .node("y", new Unary(Unary.Kind.EXP), "flat")
                .output("y", "y");
        assertThat(run(graph))
                .containsExactly(
                        "t = transpose(x)",
                        "t.dense = contiguous(t)",
                        "flat = reshape(t.dense)",
                        "y = exp(flat)",
                        "output y y");
    }

    @Test
    void storesConstantsForReadersOfMemory() {
        HandGraph graph = new HandGraph()
                .parameter("w", 4, 4)
                .node("c", new Constant(2, TensorType.of(DType.F32, 4, 4)))
                .node("y", PRODUCT, "c", "w")
                .node("z", new Binary(Binary.Kind.MUL), "c", "w")
                .output("y", "y")
                .output("z", "z");
        assertThat(run(graph)).contains("c.dense = contiguous(c)", "y = matmul(c.dense, w)", "z = mul(c, w)");
    }

    @Test
    void letsOutputsLieDense() {
        HandGraph graph = new HandGraph().data("x", 4, 6).node("t", TURN, "x").output("y", "t");
        assertThat(run(graph)).containsExactly("t = transpose(x)", "t.dense = contiguous(t)", "output y t.dense");
    }
}
