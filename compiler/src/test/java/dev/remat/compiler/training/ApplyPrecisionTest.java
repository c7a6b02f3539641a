package dev.remat.compiler.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.compiler.TestModels;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.Value;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplyPrecisionTest {
    private static Graph run(DType precision, Graph graph) {
        Graph result = ApplyPrecision.run(graph, precision);
        GraphVerifier.verify(result);
        return result;
    }

    private static DType dtype(Graph graph, String name) {
        return graph.values().stream()
                .filter(v -> v.name().equals(name))
                .map(Value::type)
                .findFirst()
                .orElseThrow()
                .dtype();
    }

    private static Graph product() {
        return new HandGraph()
                .data("x", 4, 4)
                .parameter("w", 4, 4)
                .node("y", new MatMul(false, false), "x", "w")
                .node("half", new Constant(0.5, TensorType.of(DType.F32, 4, 4)))
                .node("z", new Binary(Binary.Kind.MUL), "y", "half")
                .node("u", new Binary(Binary.Kind.ADD), "z", "half")
                .node("mean", new Reduce(Reduce.Kind.MEAN, List.of(0, 1)), "u")
                .node("loss", new Reshape(Shape.SCALAR), "mean")
                .output("loss", "loss")
                .build();
    }

    @Test
    void leavesFullPrecisionAlone() {
        assertThat(run(DType.F32, product())).isEqualTo(product());
    }

    @Test
    void narrowsActivationsButNoParameters() {
        Graph graph = run(DType.BF16, product());
        assertThat(dtype(graph, "w")).isEqualTo(DType.F32);
        assertThat(dtype(graph, "x")).isEqualTo(DType.F32);
        assertThat(dtype(graph, "y")).isEqualTo(DType.BF16);
        assertThat(dtype(graph, "z")).isEqualTo(DType.BF16);
    }

    @Test
    void computesScalarsInFullPrecision() {
        Graph graph = run(DType.BF16, product());
        assertThat(dtype(graph, "mean")).isEqualTo(DType.F32);
        assertThat(graph.type(graph.output("loss"))).isEqualTo(TensorType.scalar(DType.F32));
    }

    @Test
    void narrowsConstantsWithoutCasts() {
        Graph graph = run(DType.BF16, product());
        assertThat(graph.nodes().stream()
                        .filter(n -> n.op() instanceof Cast)
                        .map(n -> n.operands().getFirst()))
                .noneMatch(id -> graph.value(id).name().equals("half"));
    }

    @Test
    void keepsStatisticsWide() {
        Graph graph = run(
                DType.BF16,
                new HandGraph()
                        .data("ids", TensorType.of(DType.I32, 4))
                        .parameter("table", 6, 8)
                        .node("x", new Embedding(), "table", "ids")
                        .node("mean variance", new NormStatistics(List.of(1), true), "x")
                        .node("y", new Normalize(List.of(1), 1e-5, true, false, false), "x", "mean", "variance")
                        .output("y", "y")
                        .build());
        assertThat(dtype(graph, "mean")).isEqualTo(DType.F32);
        assertThat(dtype(graph, "variance")).isEqualTo(DType.F32);
        assertThat(dtype(graph, "y")).isEqualTo(DType.BF16);
        assertThat(graph.type(graph.output("y")).dtype()).isEqualTo(DType.F32);
    }

    @Test
    void widensEverythingForChecks() {
        Graph graph = run(DType.F64, product());
        assertThat(graph.values()).allMatch(value -> value.type().dtype() == DType.F64);
    }

    @Test
    void leavesIntegersAlone() {
        Graph graph = run(DType.F64, TestModels.mlp(1, 4, 8));
        assertThat(dtype(graph, "targets")).isEqualTo(DType.I32);
        assertThat(dtype(graph, "layer.0.weight")).isEqualTo(DType.F64);
    }
}
