package dev.remat.compiler.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.TestModels;
import dev.remat.compiler.stage.PassListener;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.MatMul;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MarksTest {
    /** Two products with one weight, so that its gradient is a sum; one of them is squared. */
    private static Graph forward() {
        GraphBuilder builder = new GraphBuilder("Twice");
        ValueId x = TestModels.data(builder, "x", TensorType.of(DType.F32, 4, 4));
        ValueId weight = TestModels.parameter(builder, "weight", 4, 4);
        ValueId once = builder.apply(new MatMul(false, true), x, weight);
        ValueId twice = builder.apply(new MatMul(false, true), once, weight);
        builder.output("loss", TestModels.meanSquare(builder, twice));
        return builder.build();
    }

    private static Graph training() {
        Graph whole = Differentiate.run(forward(), forward().output("loss"), new ApplyUpdates(TestModels.ADAM))
                .graph();
        return BuildStepGraph.tidied(whole, PassListener.NONE);
    }

    private static List<String> marked(Graph graph, Mark mark) {
        return graph.values().stream()
                .filter(value -> value.mark().equals(Optional.of(mark)))
                .map(Value::name)
                .toList();
    }

    @Test
    void aGradientIsMarkedWithAllThatAddsUpToIt() {
        Graph graph = training();
        Node update = graph.nodes().stream()
                .filter(node -> node.op() instanceof ElementwiseUpdate)
                .findFirst()
                .orElseThrow();
        Value gradient = graph.value(update.operands().get(1));
        Node sum = graph.node(gradient.producer().orElseThrow());
        assertThat(sum.operands()).hasSize(2);
        List<String> parts = Stream.concat(
                        Stream.of(gradient), sum.operands().stream().map(graph::value))
                .map(Value::name)
                .toList();
        assertThat(marked(graph, Mark.GRADIENT)).containsExactlyInAnyOrderElementsOf(parts);
    }

    @Test
    void whatAnOptimizerOwnsIsMarked() {
        assertThat(marked(training(), Mark.OPTIMIZER))
                .containsExactly("optimizer.exp_avg.weight", "optimizer.exp_avg_sq.weight");
        assertThat(marked(training(), Mark.STATISTIC)).isEmpty();
    }

    @Test
    void nothingIsMarkedThatIsNotTrained() {
        assertThat(forward().values()).allMatch(value -> value.mark().isEmpty());
    }
}
