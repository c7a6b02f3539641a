package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.onnx.EvaluateText;
import dev.remat.cli.onnx.OnnxSource;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ForwardValues;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxOpset;
import dev.remat.compiler.onnx.WeightUse;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.op.Draw;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.tests.promises.TrialRun;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A sample that is exported and imported again computes what it did, and the same with what was recognised. */
@Tag("slow")
class OnnxRoundTripTest {
    private static final double NEAR = 1e-5;

    @TempDir
    Path folder;

    /** Those that draw nothing at random when they are evaluated. */
    static List<SampleModel> samples() throws IOException {
        List<SampleModel> samples = new ArrayList<>();
        for (SampleModel sample : SampleModels.ALL) {
            if (whole(sample).forward().nodes().stream().noneMatch(node -> node.op() instanceof Draw)) {
                samples.add(sample);
            }
        }
        return samples;
    }

    private static ElaboratedModel whole(SampleModel sample) throws IOException {
        return session(sample).whole(Purpose.EVALUATE);
    }

    private static ModelSession session(SampleModel sample) throws IOException {
        return TrialRun.session(TrialRun.sample(sample.name()), sample.tiny());
    }

    private static List<String> topLevel(Graph forward) {
        return forward.values().stream()
                .filter(value -> value.producer().isPresent()
                        && !value.name().contains(".")
                        && value.type().dtype() == DType.F32)
                .map(value -> value.name())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void comesBackTheSame(SampleModel sample) throws Exception {
        List<String> wanted = topLevel(whole(sample).forward());
        EvaluatedSample evaluated = EvaluatedSample.of(session(sample), wanted);
        Graph forward =
                ForwardValues.asOutputs(whole(sample), wanted, "--outputs").forward();
        byte[] model = OnnxRun.bytes(new OnnxExport(forward, new OnnxOpset(18), List.of())
                .run(evaluated.onnxWeights(), WeightUse::whole, "test"));
        Path file = Files.write(folder.resolve("m.onnx"), model);
        for (boolean isPlain : List.of(true, false)) {
            try (OnnxSource source = OnnxSource.open(file, false)) {
                ImportedGraph imported = source.run(new ImportRequest(
                        "M", "m.onnx", List.of(), List.of(), new LinkedHashMap<>(), isPlain, Optional.empty()));
                SequencedMap<String, StoredTensor> inputs = new LinkedHashMap<>();
                imported.inputNames()
                        .forEach((name, inFile) ->
                                inputs.put(name, evaluated.known().get(inFile).named(name)));
                SequencedMap<String, StoredTensor> results = EvaluateText.run(
                                imported.text(), ModelSettings.NONE, source.weights(imported), inputs)
                        .outputs();
                imported.outputNames().forEach((name, inFile) -> {
                    StoredTensor expected = evaluated.known().get(inFile);
                    assertThat(OnnxRun.distance(results.get(name), expected.named(name)))
                            .as("%s, %s", inFile, isPlain ? "plain" : "readable")
                            .isLessThanOrEqualTo(NEAR);
                });
            }
        }
    }
}
