package dev.remat.tests.onnx;

import static dev.remat.tests.onnx.OneNode.bools;
import static dev.remat.tests.onnx.OneNode.integers;
import static dev.remat.tests.onnx.OneNode.real;
import static dev.remat.tests.onnx.OneNode.reals;
import static dev.remat.tests.onnx.OneNode.scalar;
import static dev.remat.tests.onnx.OneNode.shaped;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.onnx.EvaluateText;
import dev.remat.cli.onnx.OnnxSource;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operators of versions that ONNX's own tests in Debian do not know, 18 to 24, and of ONNX Runtime's domain compute
 * what ONNX Runtime does.
 */
@Tag("slow")
class OnnxNewerOperatorsTest {
    @TempDir
    Path folder;

    private static OneNode attention() {
        return OneNode.of("Attention", 23).floats(2, 2, 3, 4).floats(2, 2, 5, 4).floats(2, 2, 5, 4);
    }

    private static OneNode rotary() {
        return OneNode.of("RotaryEmbedding", 23)
                .floats(2, 2, 3, 4)
                .floats(7, 2)
                .floats(7, 2)
                .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3));
    }

    /** Four heads of queries, two of keys and values, of three places; {@code heads} of them are in operand 0. */
    private static OneNode query(long heads, long width) {
        return OneNode.contributed("GroupQueryAttention")
                .set("num_heads", 4)
                .set("kv_num_heads", 2)
                .floats(2, 3, heads * width);
    }

    /** Without keys and values of before, and with all places of both rows. */
    private static OneNode grouped(OneNode operands) {
        return operands.none()
                .none()
                .fixed(counts(2, 2))
                .fixed(shaped(counts(3)))
                .giving(3);
    }

    private static StoredTensor counts(int... values) {
        StoredTensor tensor = OneNode.tensor(StoredType.I32, values.length);
        for (int i = 0; i < values.length; i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_INT, i, values[i]);
        }
        return tensor;
    }

    private static OneNode resize(String mode) {
        return OneNode.of("Resize", 19).floats(1, 2, 4, 6).none().set("mode", mode);
    }

    static List<OneNode> cases() {
        StoredTensor places = shaped(integers(0, 2, 1, 1, 0, 2), 2, 3);
        return List.of(
                attention(),
                attention().set("is_causal", 1),
                attention().set("scale", 0.3f),
                attention().fed(bools("110111101101111", 3, 5)),
                attention().floats(2, 1, 3, 5),
                OneNode.of("Attention", 23)
                        .floats(2, 3, 8)
                        .floats(2, 3, 4)
                        .floats(2, 3, 4)
                        .set("q_num_heads", 4)
                        .set("kv_num_heads", 2)
                        .set("is_causal", 1),
                rotary(),
                rotary().set("interleaved", 1),
                OneNode.of("RotaryEmbedding", 23)
                        .floats(2, 2, 3, 4)
                        .floats(2, 3, 2)
                        .floats(2, 3, 2),
                OneNode.of("RotaryEmbedding", 23)
                        .floats(2, 3, 8)
                        .floats(7, 2)
                        .floats(7, 2)
                        .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3))
                        .set("num_heads", 2),
                OneNode.of("RotaryEmbedding", 23)
                        .floats(2, 2, 3, 6)
                        .floats(7, 2)
                        .floats(7, 2)
                        .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3))
                        .set("rotary_embedding_dim", 4),
                OneNode.of("RMSNormalization", 23).floats(2, 3, 4).floats(4),
                OneNode.of("RMSNormalization", 23)
                        .floats(2, 3, 4)
                        .floats(3, 4)
                        .set("axis", 1)
                        .set("epsilon", 0.1f),
                OneNode.of("GroupNormalization", 21)
                        .floats(2, 4, 3, 3)
                        .floats(4)
                        .floats(4)
                        .set("num_groups", 2),
                OneNode.of("GroupNormalization", 18)
                        .floats(2, 4, 3, 3)
                        .floats(2)
                        .floats(2)
                        .set("num_groups", 2),
                OneNode.of("Swish", 24).floats(2, 3),
                OneNode.of("Swish", 24).floats(2, 3).set("alpha", 0.5f),
                OneNode.of("Gelu", 20).floats(2, 3),
                OneNode.of("Gelu", 20).floats(2, 3).set("approximate", "tanh"),
                OneNode.of("Mish", 18).floats(2, 3),
                OneNode.of("AffineGrid", 20).floats(2, 2, 3).fixed(integers(2, 3, 4, 5)),
                OneNode.of("AffineGrid", 20)
                        .floats(2, 2, 3)
                        .fixed(integers(2, 3, 4, 5))
                        .set("align_corners", 1),
                OneNode.of("GridSample", 20)
                        .floats(1, 2, 4, 4)
                        .floats(1, 3, 3, 2)
                        .set("mode", "linear"),
                OneNode.of("GridSample", 20)
                        .floats(1, 2, 4, 4)
                        .floats(1, 3, 3, 2)
                        .set("mode", "nearest")
                        .set("padding_mode", "border"),
                OneNode.of("GridSample", 20)
                        .floats(1, 2, 4, 4)
                        .floats(1, 3, 3, 2)
                        .set("mode", "linear")
                        .set("padding_mode", "reflection")
                        .set("align_corners", 1),
                resize("linear").fixed(reals(1, 1, 2, 0.5f)),
                resize("nearest").fixed(reals(1, 1, 2, 2)),
                resize("cubic").fixed(reals(1, 1, 1.5f, 0.5f)),
                resize("linear").fixed(reals(1, 1, 0.5f, 0.5f)),
                resize("linear").none().fixed(integers(3, 9)).set("axes", List.of(2, 3)),
                OneNode.of("Pad", 19)
                        .floats(2, 3, 4)
                        .fixed(integers(0, 1, 0, 2))
                        .none()
                        .fixed(integers(0, 2))
                        .set("mode", "wrap"),
                OneNode.of("Pad", 18)
                        .floats(2, 3, 4)
                        .fixed(integers(1, 2))
                        .fixed(real(0.5f))
                        .fixed(integers(-1)),
                OneNode.of("Split", 18)
                        .floats(2, 7)
                        .set("num_outputs", 3)
                        .set("axis", 1)
                        .giving(3),
                OneNode.of("CenterCropPad", 18)
                        .floats(3, 6, 5)
                        .fixed(integers(4, 7))
                        .set("axes", List.of(1, 2)),
                OneNode.of("Col2Im", 18).floats(1, 8, 9).fixed(integers(4, 4)).fixed(integers(2, 2)),
                OneNode.of("ScatterElements", 18)
                        .floats(3, 3)
                        .fixed(places)
                        .floats(2, 3)
                        .set("reduction", "add"),
                OneNode.of("ScatterElements", 18).floats(3, 3).fixed(places).floats(2, 3),
                OneNode.of("ScatterND", 18)
                        .floats(4, 3)
                        .fixed(shaped(integers(1, 3), 2, 1))
                        .floats(2, 3)
                        .set("reduction", "add"),
                OneNode.of("ReduceMax", 20).floats(2, 3, 4).fixed(integers(-2)),
                OneNode.of("ReduceL2", 18).floats(2, 3, 4).fixed(integers(0, 2)).set("keepdims", 0),
                OneNode.of("ReduceLogSumExp", 18).floats(2, 3, 4).fixed(integers(1)),
                OneNode.of("AveragePool", 19)
                        .floats(1, 2, 7, 7)
                        .set("kernel_shape", List.of(3, 3))
                        .set("strides", List.of(2, 2))
                        .set("pads", List.of(1, 1, 1, 1))
                        .set("count_include_pad", 1),
                OneNode.of("LpPool", 18)
                        .floats(1, 2, 6, 6)
                        .set("kernel_shape", List.of(2, 2))
                        .set("strides", List.of(2, 2)),
                OneNode.of("MaxPool", 22)
                        .floats(1, 2, 6, 6)
                        .set("kernel_shape", List.of(3, 3))
                        .set("ceil_mode", 1)
                        .set("strides", List.of(2, 2)),
                OneNode.of("LayerNormalization", 17)
                        .floats(2, 3, 4)
                        .floats(3, 4)
                        .floats(3, 4)
                        .set("axis", 1),
                OneNode.of("IsInf", 20)
                        .fed(reals(1, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY))
                        .set("detect_negative", 0),
                OneNode.of("Reshape", 21).floats(2, 6).fixed(integers(0, -1, 3)),
                OneNode.of("Cast", 21).floats(2, 3).set("to", 7),
                OneNode.of("GatherND", 18).floats(3, 4).fixed(shaped(integers(0, 1, 2, 3), 2, 2)),
                OneNode.of("HardSwish", 22).floats(2, 5),
                OneNode.of("DFT", 20).floats(2, 6, 1),
                OneNode.of("DFT", 20).floats(2, 3, 6, 2).none().fixed(scalar(1)),
                OneNode.of("DFT", 20).floats(2, 6, 2).set("inverse", 1),
                OneNode.of("DFT", 20).floats(2, 7, 1).set("onesided", 1),
                OneNode.of("DFT", 17).floats(2, 6, 1).fixed(scalar(8)).set("axis", 1),
                OneNode.of("ConvTranspose", 22)
                        .floats(1, 2, 3, 3)
                        .floats(2, 4, 3, 3)
                        .floats(4)
                        .set("strides", List.of(2, 2))
                        .set("pads", List.of(1, 1, 0, 1)),
                OneNode.contributed("BiasGelu").floats(2, 3).floats(3),
                OneNode.contributed("FastGelu").floats(2, 3).floats(3),
                OneNode.contributed("QuickGelu").floats(2, 3),
                OneNode.contributed("FusedMatMul")
                        .floats(2, 3, 4)
                        .floats(2, 5, 4)
                        .set("transB", 1)
                        .set("alpha", 0.5f),
                OneNode.contributed("SkipLayerNormalization")
                        .floats(2, 3, 4)
                        .floats(2, 3, 4)
                        .floats(4)
                        .floats(4)
                        .floats(4)
                        .set("epsilon", 1e-5f),
                OneNode.contributed("SkipSimplifiedLayerNormalization")
                        .floats(2, 3, 4)
                        .floats(2, 3, 4)
                        .floats(4)
                        .set("epsilon", 1e-5f),
                OneNode.contributed("MultiHeadAttention")
                        .floats(2, 3, 8)
                        .floats(2, 5, 8)
                        .floats(2, 5, 8)
                        .set("num_heads", 2),
                grouped(query(4, 8).floats(2, 3, 16).floats(2, 3, 16)).set("scale", 0.5f),
                grouped(query(4, 16).floats(2, 3, 32).floats(2, 3, 32))
                        .floats(5, 8)
                        .floats(5, 8)
                        .set("do_rotary", 1),
                grouped(query(8, 16).none().none())
                        .floats(3, 8)
                        .floats(3, 8)
                        .set("do_rotary", 1)
                        .set("rotary_interleaved", 1),
                OneNode.contributed("RotaryEmbedding")
                        .floats(2, 2, 3, 4)
                        .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3))
                        .floats(7, 2)
                        .floats(7, 2));
    }

    /** Of version 27, which ONNX Runtime 1.24 does not know: by hand. */
    @Test
    void convolvesOverWhatWasBefore() throws Exception {
        OneNode causal = OneNode.of("CausalConvWithState", 27)
                .giving(2)
                .fed(shaped(reals(1, 2, 3, 4, 5, 6, 7, 8), 1, 2, 4))
                .fixed(shaped(reals(1, 10, 100, 2, 20, 200), 2, 1, 3));
        assertThat(results(causal).get("y0")).containsExactly(100, 210, 321, 432, 1000, 1300, 1530, 1752);
        assertThat(results(causal).get("y1")).containsExactly(3, 4, 7, 8);
        OneNode goesOn = causal.fixed(reals(0.5f, 0.25f)).fed(shaped(reals(7, 8, 9, 11), 1, 2, 2));
        assertThat(results(goesOn).get("y0"))
                .containsExactly(187.5f, 218.5f, 321.5f, 432.5f, 1238.25f, 1322.25f, 1530.25f, 1752.25f);
    }

    private Map<String, float[]> results(OneNode each) throws Exception {
        Path file = Files.write(folder.resolve("m.onnx"), each.model());
        SequencedMap<String, StoredTensor> inputs = new LinkedHashMap<>();
        each.operands().forEach(operand -> inputs.put(operand.name(), operand));
        Map<String, float[]> results = new LinkedHashMap<>();
        try (OnnxSource source = OnnxSource.open(file, false)) {
            ImportedGraph imported = source.run(new ImportRequest(
                    "M", "m.onnx", List.of(), List.of(), new LinkedHashMap<>(), false, Optional.empty()));
            EvaluateText.run(imported.text(), ModelSettings.NONE, source.weights(imported), inputs)
                    .outputs()
                    .forEach((name, tensor) -> results.put(name, tensor.data().toArray(ValueLayout.JAVA_FLOAT)));
        }
        return results;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void computesWhatOnnxRuntimeDoes(OneNode each) throws Exception {
        byte[] model = each.model();
        Map<String, StoredTensor> known = new LinkedHashMap<>();
        each.operands().forEach(operand -> known.put(operand.name(), operand));
        Map<String, StoredTensor> expected = OnnxRun.run(model, known);
        Path file = Files.write(folder.resolve("m.onnx"), model);
        for (boolean isPlain : List.of(true, false)) {
            try (OnnxSource source = OnnxSource.open(file, false)) {
                ImportedGraph imported = source.run(new ImportRequest(
                        "M", "m.onnx", List.of(), List.of(), new LinkedHashMap<>(), isPlain, Optional.empty()));
                SequencedMap<String, StoredTensor> inputs = new LinkedHashMap<>();
                imported.inputNames()
                        .forEach((name, inFile) ->
                                inputs.put(name, known.get(inFile).named(name)));
                SequencedMap<String, StoredTensor> results = EvaluateText.run(
                                imported.text(), ModelSettings.NONE, source.weights(imported), inputs)
                        .outputs();
                imported.outputNames()
                        .forEach((name, inFile) -> assertThat(OnnxRun.distance(
                                        results.get(name), expected.get(inFile).named(name)))
                                .isLessThanOrEqualTo(1e-5));
            }
        }
    }
}
