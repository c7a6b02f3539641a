package dev.remat.compiler.elaborate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.remat.ir.Initializer;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.text.GraphParser;
import dev.remat.ir.text.GraphPrinter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Weights made of directions and lengths. */
class WeightNormTest {
    private static final String X = "input x: f32[2, 3, 9]\n";

    private static List<String> starts(Graph graph) {
        return graph.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(input -> graph.value(input.value()).name() + " = " + input.initializer())
                .toList();
    }

    @Test
    void lengthsAreParametersThatStartAsThoseOfTheDirections() {
        String conv = "y = conv1d(x, 4, 5, weight_norm = true, init = normal(std = 0.5), bias = false) as c";
        Graph graph = Models.graph(X + conv);
        assertThat(Models.inputs(graph, InputKind.PARAMETER))
                .containsExactlyInAnyOrder("c.weight_v f32[4, 3, 5]", "c.weight_g f32[4, 1, 1]");
        assertThat(starts(graph))
                .containsExactlyInAnyOrder(
                        "c.weight_v = normal(0.0, 0.5)", "c.weight_g = lengths(\"c.weight_v\", 15, normal(0.0, 0.5))");
        assertThat(starts(GraphParser.parse(GraphPrinter.print(graph)))).isEqualTo(starts(graph));
        assertThat(Models.inputs(Models.graph(X + conv.replace("true", "false")), InputKind.PARAMETER))
                .containsExactly("c.weight f32[4, 3, 5]");
    }

    @Test
    void aSharedLayerHasThemOnce() {
        Graph graph = Models.graph(X + "c = linear(_, 9, weight_norm = true, bias = false) as c\ny = c(c(x))");
        assertThat(Models.inputs(graph, InputKind.PARAMETER))
                .containsExactlyInAnyOrder("c.weight_v f32[9, 9]", "c.weight_g f32[9, 1]");
    }

    @Test
    void aWeightThatIsGivenHasItsLengthAlready() {
        String given = "param w: f32[4, 9] = ones\ny = linear(x, 4, weight = w";
        assertThat(Models.findings(Models.wrap(X + given + ", weight_norm = true)")))
                .containsExactly("E0203 5:5 'weight_norm' is without effect on a weight that is given");
        assertThat(Models.findings(Models.wrap(X + given + ")"))).isEmpty();
    }

    @Test
    void lengthsAreOfWhatIsDrawn() {
        Initializer nested = new Initializer.Lengths("v", 3, Initializer.ONES);
        assertThatIllegalArgumentException().isThrownBy(() -> new Initializer.Lengths("g", 2, nested));
        assertThatIllegalArgumentException().isThrownBy(() -> new Initializer.Lengths("g", 0, Initializer.ONES));
    }
}
