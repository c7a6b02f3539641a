package dev.remat.compiler.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.TestModels;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphInput;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.InputKind;
import dev.remat.ir.Node;
import dev.remat.ir.Role;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.Schedule;
import dev.remat.ir.op.Update;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ApplyUpdatesTest {
    private static final Optimizer ADAM = new Optimizer.Adam(0.9, 0.999, 1e-8, 0.1, true);

    private static Graph training(Optimizer optimizer, OptionalDouble clip) {
        TrainingSpec spec = new TrainingSpec(optimizer, new Schedule.Constant(0.1), clip, DType.F32, 7);
        Graph forward = TestModels.mlp(2, 4, 8);
        Graph graph = Differentiate.run(forward, forward.output("loss"), new ApplyUpdates(spec))
                .graph();
        GraphVerifier.verify(graph);
        return graph;
    }

    private static List<Node> updates(Graph graph) {
        return graph.nodes().stream()
                .filter(node -> node.op() instanceof Update)
                .toList();
    }

    private static List<String> states(Graph graph) {
        return graph.inputs().stream()
                .filter(input -> input.kind() == InputKind.STATE)
                .map(GraphInput::value)
                .map(id -> graph.value(id).name())
                .toList();
    }

    @Test
    void updatesEachParameterOnce() {
        Graph graph = training(ADAM, OptionalDouble.empty());
        assertThat(updates(graph))
                .extracting(node -> graph.value(node.operands().getFirst()).name())
                .containsExactlyInAnyOrder("layer.0.weight", "layer.0.bias", "layer.1.weight", "layer.1.bias");
    }

    @Test
    void updatesAsSoonAsAGradientIsComplete() {
        Graph graph = training(ADAM, OptionalDouble.empty());
        int first = updates(graph).getFirst().id().index();
        assertThat(graph.nodes().subList(first, graph.nodes().size())).anyMatch(n -> n.role() == Role.BACKWARD);
    }

    @Test
    void waitsForAllGradientsWhereItClips() {
        Graph graph = training(ADAM, OptionalDouble.of(1));
        int first = updates(graph).getFirst().id().index();
        assertThat(graph.nodes().subList(first, graph.nodes().size()))
                .allMatch(n -> n.role() == Role.UPDATE || n.op() instanceof LearningRate);
        assertThat(graph.values()).anyMatch(value -> value.name().equals("gradient_norm"));
    }

    @Test
    void keepsStateByOptimizer() {
        assertThat(states(training(new Optimizer.Sgd(0, 0, false, 0), OptionalDouble.empty())))
                .isEmpty();
        assertThat(states(training(new Optimizer.Sgd(0.9, 0, false, 0), OptionalDouble.empty())))
                .contains("optimizer.velocity.layer.0.weight")
                .hasSize(4);
        assertThat(states(training(ADAM, OptionalDouble.empty())))
                .contains("optimizer.m.layer.1.bias", "optimizer.v.layer.1.bias")
                .hasSize(8);
    }

    @Test
    void computesTheRateOnce() {
        Graph graph = training(ADAM, OptionalDouble.empty());
        assertThat(graph.nodes().stream().filter(n -> n.op() instanceof LearningRate))
                .hasSize(1);
    }
}
