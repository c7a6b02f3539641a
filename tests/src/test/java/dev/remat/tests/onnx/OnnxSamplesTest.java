package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ForwardValues;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxOpset;
import dev.remat.compiler.onnx.WeightUse;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.op.Draw;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.tests.promises.TrialRun;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** ONNX Runtime computes of every exported sample what its evaluation gives here. */
@Tag("slow")
class OnnxSamplesTest {
    private static final List<Integer> OPSETS = List.of(17, 18, 20, 23, 24);
    private static final double NEAR = 1e-5;

    static List<SampleModel> samples() {
        return SampleModels.ALL;
    }

    @ParameterizedTest
    @MethodSource("samples")
    void onnxRuntimeAgrees(SampleModel sample) throws Exception {
        String text = TrialRun.sample(sample.name());
        ModelSession bound = TrialRun.session(text, sample.tiny());
        ElaboratedModel whole = bound.whole(Purpose.EVALUATE);
        List<String> drawn = drawn(whole.forward());
        List<String> extra = new ArrayList<>(drawn);
        extra.addAll(topLevel(whole.forward()));
        EvaluatedSample evaluated = EvaluatedSample.of(bound, extra);
        String open = Arrays.stream(sample.tiny().split(",(?=\\w+=)"))
                .filter(setting -> !whole.symbols().contains(setting.split("=")[0]))
                .collect(Collectors.joining(","));
        ElaboratedModel symbolic = TrialRun.session(text, open).open(Purpose.EVALUATE);
        assertThat(symbolic.open()).isNotEmpty();
        Graph forward = withOutputs(symbolic, topLevel(whole.forward()));
        List<ValueId> given = forward.values().stream()
                .filter(value -> drawn.contains(value.name()))
                .map(value -> value.id())
                .toList();
        for (int opset : OPSETS) {
            byte[] model = OnnxRun.bytes(new OnnxExport(forward, new OnnxOpset(opset), given)
                    .run(evaluated.onnxWeights(), WeightUse::whole, "test"));
            Map<String, StoredTensor> results = OnnxRun.run(model, evaluated.known());
            assertThat(results).hasSizeGreaterThan(1);
            evaluated.outputs().stream()
                    .filter(expected -> !drawn.contains(expected.name()))
                    .forEach(expected -> assertThat(OnnxRun.distance(results.get(expected.name()), expected))
                            .as("%s at opset %d", expected.name(), opset)
                            .isLessThanOrEqualTo(NEAR));
        }
    }

    private static List<String> drawn(Graph forward) {
        return forward.nodes().stream()
                .filter(node -> node.op() instanceof Draw)
                .map(node -> forward.value(node.results().getFirst()).name())
                .toList();
    }

    /** Names of what the model computes outside all layers. */
    private static List<String> topLevel(Graph forward) {
        return forward.values().stream()
                .filter(value -> value.producer().isPresent()
                        && !(forward.node(value.producer().get()).op() instanceof Draw)
                        && !value.name().contains(".")
                        && value.type().dtype() == DType.F32)
                .map(value -> value.name())
                .toList();
    }

    private static Graph withOutputs(ElaboratedModel model, List<String> names) {
        Graph forward = ForwardValues.asOutputs(model, names, "--outputs").forward();
        List<GraphOutput> outputs = forward.outputs();
        return new Graph(forward.name(), forward.inputs(), forward.nodes(), forward.values(), outputs);
    }
}
