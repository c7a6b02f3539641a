package dev.remat.tests.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Evaluates the statements of a model whose result is {@code y}, on numbers given by name. */
abstract class BodyTest {
    private final SequencedMap<String, double[]> given = new LinkedHashMap<>();
    private final SequencedMap<String, Long> extents = new LinkedHashMap<>();

    final BodyTest with(String name, double... values) {
        given.put(name, values);
        return this;
    }

    /** A symbol of the bodies, which is bound when they have been read. */
    final BodyTest bound(String symbol, long extent) {
        extents.put(symbol, extent);
        return this;
    }

    /** {@code y} of the body; inputs and parameters that are not given count 0, 1, 2, … */
    final double[] y(String body, Purpose purpose) {
        String text = "remat 1\nmodel M {\n" + body
                + "\noutput y\nloss = mean(y)\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
        Graph open = Elaborator.elaborate(
                        ModelParser.parse(new Source("m", text), IncludeResolver.NONE), Bindings.NONE, purpose)
                .forward();
        Graph graph = extents.isEmpty() ? open : BindSymbols.run(open, extents);
        SequencedMap<String, Tensor> inputs = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            String name = graph.value(input.value()).name();
            Tensor tensor = Tensor.zeros(graph.type(input.value()));
            for (int i = 0; i < tensor.data().length; i++) {
                tensor.data()[i] = given.containsKey(name) ? given.get(name)[i] : i;
            }
            inputs.put(name, tensor);
        }
        return new ReferenceInterpreter(Rounding.NONE, 7)
                .run(graph, inputs, 1)
                .get(graph.output("y"))
                .data();
    }

    final void expect(String body, double... values) {
        assertThat(y(body, Purpose.TRAIN)).as(body).containsExactly(values, within(1e-12));
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
