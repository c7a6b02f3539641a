package dev.remat.tests.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.ir.graph.Graph;
import dev.remat.tests.reference.Slopes;
import dev.remat.tests.reference.Tensor;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Gradients of every sample against central differences, in double precision: along random directions through all
 * parameters at once, and along the gradient itself.
 */
class SampleGradientTest {
    static final List<SampleModel> SAMPLES = SampleModels.ALL;

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void agreesWithCentralDifferences(SampleModel sample) {
        Graph forward = RemoveDeadNodes.run(sample.tinyModel().forward());
        SequencedMap<String, Tensor> inputs = SampleInputs.draw(forward, 5);
        SequencedMap<String, Tensor> gradients = Slopes.gradients(forward, inputs);
        assertThat(gradients.sequencedKeySet()).containsExactlyInAnyOrderElementsOf(SampleInputs.names(forward));

        Slopes.expectSlopes(forward, inputs, gradients);
    }
}
