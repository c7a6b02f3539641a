package dev.remat.compiler.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphOutput;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.InputKind;
import dev.remat.ir.Node;
import dev.remat.ir.Role;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class DifferentiateTest {
    private static final MatMul PRODUCT = new MatMul(false, false);
    private static final Binary MUL = new Binary(Binary.Kind.MUL);

    private static HandGraph withLoss(HandGraph graph, String value) {
        return graph.node("sum", new Reduce(Reduce.Kind.SUM, List.of(0, 1)), value)
                .node("loss", new Reshape(Shape.SCALAR), "sum")
                .output("loss", "loss");
    }

    private static TrainingGraph run(HandGraph graph) {
        TrainingGraph training = Differentiate.run(graph.build(), graph.id("loss"), new ReportGradients());
        GraphVerifier.verify(training.graph());
        return training;
    }

    private static HandGraph twoLayers() {
        return withLoss(
                new HandGraph()
                        .data("x", 3, 4)
                        .parameter("first", 4, 4)
                        .parameter("second", 4, 4)
                        .node("h", PRODUCT, "x", "first")
                        .node("y", PRODUCT, "h", "second"),
                "y");
    }

    private static List<String> backward(Graph graph) {
        return graph.nodes().stream()
                .filter(node -> node.role() == Role.BACKWARD)
                .map(node -> node.op().mnemonic())
                .toList();
    }

    @Test
    void givesEveryParameterAGradientOfItsType() {
        TrainingGraph training = run(twoLayers());
        Graph graph = training.graph();
        assertThat(training.gradients()).hasSize(2);
        for (ParameterGradient pair : training.gradients()) {
            assertThat(graph.type(pair.gradient())).isEqualTo(graph.type(pair.parameter()));
        }
        assertThat(graph.outputs()).extracting(GraphOutput::name).containsExactly("grad.second", "grad.first", "loss");
    }

    @Test
    void differentiatesByParametersAlone() {
        assertThat(backward(run(twoLayers()).graph()).stream().filter("matmul"::equals))
                .as("by second, by h, by first, and none by x")
                .hasSize(3);
    }

    @Test
    void addsTheContributionsToASharedValue() {
        HandGraph once =
                withLoss(new HandGraph().data("x", 2, 2).parameter("w", 2, 2).node("y", MUL, "x", "w"), "y");
        HandGraph twice = withLoss(
                new HandGraph()
                        .data("x", 2, 2)
                        .parameter("w", 2, 2)
                        .node("y", MUL, "x", "w")
                        .node("z", MUL, "y", "w"),
                "z");
        assertThat(backward(run(once).graph())).doesNotContain("add");
        assertThat(backward(run(twice).graph())).containsOnlyOnce("add");
    }

    @Test
    void leavesParametersAloneThatTheLossDoesNotReach() {
        HandGraph graph = withLoss(
                new HandGraph()
                        .data("x", 2, 2)
                        .parameter("w", 2, 2)
                        .parameter("spare", 2, 2)
                        .node("unread", new Unary(Unary.Kind.EXP), "spare")
                        .node("y", MUL, "x", "w"),
                "y");
        TrainingGraph training = run(graph);
        assertThat(training.gradients()).hasSize(1);
    }

    @Test
    void putsEffectsBehindTheLoss() {
        TensorType type = TensorType.of(DType.F32, 2, 2);
        HandGraph graph = new HandGraph()
                .data("x", 2, 2)
                .parameter("w", 2, 2)
                .input("mean", type, InputKind.STATE)
                .input("variance", type, InputKind.STATE)
                .as(Role.UPDATE)
                .node("m v", new RunningStatistics(0.1, Dim.of(8)), "mean", "variance", "x", "x")
                .as(Role.FORWARD)
                .node("y", MUL, "x", "w");
        TrainingGraph training = run(withLoss(graph, "y"));
        List<Node> nodes = training.graph().nodes();
        int loss =
                training.graph().value(training.loss()).producer().orElseThrow().index();
        int effect = nodes.stream()
                .filter(n -> n.role() == Role.UPDATE)
                .findFirst()
                .orElseThrow()
                .id()
                .index();
        assertThat(effect).isGreaterThan(loss);
    }
}
