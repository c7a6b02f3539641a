package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.onnx.EvaluateText;
import dev.remat.cli.onnx.OnnxSource;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operators of versions that ONNX's own tests in Debian do not know, 18 to 24, and of ONNX Runtime's domain compute what
 * ONNX Runtime does.
 */
@Tag("slow")
class OnnxNewerOperatorsTest {
    private static final String CONTRIBUTED = "com.microsoft";

    @TempDir
    Path folder;

    /** A graph of one node with outputs y0, y1 and so on. */
    private record Case(
            String says,
            String operator,
            String domain,
            int opset,
            int outputs,
            List<StoredTensor> operands,
            List<Boolean> constants,
            List<ProtoMessage> attributes) {
        static Case of(String operator, int opset) {
            return new Case(operator, operator, "", opset, 1, List.of(), List.of(), List.of());
        }

        static Case contributed(String operator) {
            return new Case(operator, operator, CONTRIBUTED, 18, 1, List.of(), List.of(), List.of());
        }

        private Case with(StoredTensor operand, boolean isConstant) {
            List<StoredTensor> all = new ArrayList<>(operands);
            List<Boolean> known = new ArrayList<>(constants);
            all.add(operand.named("x" + all.size()));
            known.add(isConstant);
            return new Case(says, operator, domain, opset, outputs, all, known, attributes);
        }

        Case floats(long... shape) {
            return with(random(operands.size(), shape), false);
        }

        Case fixed(StoredTensor tensor) {
            return with(tensor, true);
        }

        Case fed(StoredTensor tensor) {
            return with(tensor, false);
        }

        /** Leaves an operand out. */
        Case none() {
            return with(tensor(StoredType.I64, 0), true);
        }

        Case giving(int count) {
            return new Case(says, operator, domain, opset, count, operands, constants, attributes);
        }

        private Case set(String name, Object value, ProtoMessage attribute) {
            List<ProtoMessage> all = new ArrayList<>(attributes);
            all.add(attribute);
            return new Case(
                    says + " " + name + "=" + value, operator, domain, opset, outputs, operands, constants, all);
        }

        Case set(String name, long value) {
            return set(
                    name,
                    value,
                    new ProtoMessage().text(1, name).number(3, value).number(20, 2));
        }

        Case set(String name, float value) {
            return set(
                    name, value, new ProtoMessage().text(1, name).real(2, value).number(20, 1));
        }

        Case set(String name, String value) {
            return set(
                    name, value, new ProtoMessage().text(1, name).text(4, value).number(20, 3));
        }

        Case set(String name, List<Integer> values) {
            ProtoMessage attribute = new ProtoMessage().text(1, name).number(20, 7);
            values.forEach(value -> attribute.number(8, value));
            return set(name, values, attribute);
        }

        @Override
        public String toString() {
            return says + " at " + opset;
        }
    }

    private static StoredTensor tensor(StoredType type, long... shape) {
        List<Long> extents = Arrays.stream(shape).boxed().toList();
        long bytes = type.bytes() * extents.stream().reduce(1L, (a, b) -> a * b);
        return new StoredTensor(
                "x",
                type,
                extents,
                Arena.ofAuto().allocate(Math.max(bytes, 1), 8).asSlice(0, bytes));
    }

    private static StoredTensor random(int seed, long... shape) {
        StoredTensor tensor = tensor(StoredType.F32, shape);
        Random random = new Random(seed);
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        return tensor;
    }

    private static StoredTensor reals(float... values) {
        StoredTensor tensor = tensor(StoredType.F32, values.length);
        for (int i = 0; i < values.length; i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, values[i]);
        }
        return tensor;
    }

    private static StoredTensor real(float value) {
        return new StoredTensor("x", StoredType.F32, List.of(), reals(value).data());
    }

    private static StoredTensor integers(long... values) {
        StoredTensor tensor = tensor(StoredType.I64, values.length);
        for (int i = 0; i < values.length; i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
        }
        return tensor;
    }

    private static StoredTensor shaped(StoredTensor tensor, long... shape) {
        return new StoredTensor("x", tensor.type(), Arrays.stream(shape).boxed().toList(), tensor.data());
    }

    private static StoredTensor bools(String values, long... shape) {
        StoredTensor tensor = tensor(StoredType.BOOL, shape);
        for (int i = 0; i < values.length(); i++) {
            tensor.data().set(ValueLayout.JAVA_BYTE, i, (byte) (values.charAt(i) - '0'));
        }
        return tensor;
    }

    private static Case attention() {
        return Case.of("Attention", 23).floats(2, 2, 3, 4).floats(2, 2, 5, 4).floats(2, 2, 5, 4);
    }

    private static Case rotary() {
        return Case.of("RotaryEmbedding", 23)
                .floats(2, 2, 3, 4)
                .floats(7, 2)
                .floats(7, 2)
                .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3));
    }

    private static Case resize(String mode) {
        return Case.of("Resize", 19).floats(1, 2, 4, 6).none().set("mode", mode);
    }

    static List<Case> cases() {
        StoredTensor places = shaped(integers(0, 2, 1, 1, 0, 2), 2, 3);
        return List.of(
                attention(),
                attention().set("is_causal", 1),
                attention().set("scale", 0.3f),
                attention().fed(bools("110111101101111", 3, 5)),
                attention().floats(2, 1, 3, 5),
                Case.of("Attention", 23)
                        .floats(2, 3, 8)
                        .floats(2, 3, 4)
                        .floats(2, 3, 4)
                        .set("q_num_heads", 4)
                        .set("kv_num_heads", 2)
                        .set("is_causal", 1),
                rotary(),
                rotary().set("interleaved", 1),
                Case.of("RotaryEmbedding", 23)
                        .floats(2, 2, 3, 4)
                        .floats(2, 3, 2)
                        .floats(2, 3, 2),
                Case.of("RotaryEmbedding", 23)
                        .floats(2, 3, 8)
                        .floats(7, 2)
                        .floats(7, 2)
                        .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3))
                        .set("num_heads", 2),
                Case.of("RotaryEmbedding", 23)
                        .floats(2, 2, 3, 6)
                        .floats(7, 2)
                        .floats(7, 2)
                        .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3))
                        .set("rotary_embedding_dim", 4),
                Case.of("RMSNormalization", 23).floats(2, 3, 4).floats(4),
                Case.of("RMSNormalization", 23)
                        .floats(2, 3, 4)
                        .floats(3, 4)
                        .set("axis", 1)
                        .set("epsilon", 0.1f),
                Case.of("GroupNormalization", 21)
                        .floats(2, 4, 3, 3)
                        .floats(4)
                        .floats(4)
                        .set("num_groups", 2),
                Case.of("GroupNormalization", 18)
                        .floats(2, 4, 3, 3)
                        .floats(2)
                        .floats(2)
                        .set("num_groups", 2),
                Case.of("Swish", 24).floats(2, 3),
                Case.of("Swish", 24).floats(2, 3).set("alpha", 0.5f),
                Case.of("Gelu", 20).floats(2, 3),
                Case.of("Gelu", 20).floats(2, 3).set("approximate", "tanh"),
                Case.of("Mish", 18).floats(2, 3),
                Case.of("AffineGrid", 20).floats(2, 2, 3).fixed(integers(2, 3, 4, 5)),
                Case.of("AffineGrid", 20)
                        .floats(2, 2, 3)
                        .fixed(integers(2, 3, 4, 5))
                        .set("align_corners", 1),
                Case.of("GridSample", 20).floats(1, 2, 4, 4).floats(1, 3, 3, 2).set("mode", "linear"),
                Case.of("GridSample", 20)
                        .floats(1, 2, 4, 4)
                        .floats(1, 3, 3, 2)
                        .set("mode", "nearest")
                        .set("padding_mode", "border"),
                Case.of("GridSample", 20)
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
                Case.of("Pad", 19)
                        .floats(2, 3, 4)
                        .fixed(integers(0, 1, 0, 2))
                        .none()
                        .fixed(integers(0, 2))
                        .set("mode", "wrap"),
                Case.of("Pad", 18)
                        .floats(2, 3, 4)
                        .fixed(integers(1, 2))
                        .fixed(real(0.5f))
                        .fixed(integers(-1)),
                Case.of("Split", 18)
                        .floats(2, 7)
                        .set("num_outputs", 3)
                        .set("axis", 1)
                        .giving(3),
                Case.of("CenterCropPad", 18)
                        .floats(3, 6, 5)
                        .fixed(integers(4, 7))
                        .set("axes", List.of(1, 2)),
                Case.of("Col2Im", 18).floats(1, 8, 9).fixed(integers(4, 4)).fixed(integers(2, 2)),
                Case.of("ScatterElements", 18)
                        .floats(3, 3)
                        .fixed(places)
                        .floats(2, 3)
                        .set("reduction", "add"),
                Case.of("ScatterElements", 18).floats(3, 3).fixed(places).floats(2, 3),
                Case.of("ScatterND", 18)
                        .floats(4, 3)
                        .fixed(shaped(integers(1, 3), 2, 1))
                        .floats(2, 3)
                        .set("reduction", "add"),
                Case.of("ReduceMax", 20).floats(2, 3, 4).fixed(integers(-2)),
                Case.of("ReduceL2", 18).floats(2, 3, 4).fixed(integers(0, 2)).set("keepdims", 0),
                Case.of("ReduceLogSumExp", 18).floats(2, 3, 4).fixed(integers(1)),
                Case.of("AveragePool", 19)
                        .floats(1, 2, 7, 7)
                        .set("kernel_shape", List.of(3, 3))
                        .set("strides", List.of(2, 2))
                        .set("pads", List.of(1, 1, 1, 1))
                        .set("count_include_pad", 1),
                Case.of("LpPool", 18)
                        .floats(1, 2, 6, 6)
                        .set("kernel_shape", List.of(2, 2))
                        .set("strides", List.of(2, 2)),
                Case.of("MaxPool", 22)
                        .floats(1, 2, 6, 6)
                        .set("kernel_shape", List.of(3, 3))
                        .set("ceil_mode", 1)
                        .set("strides", List.of(2, 2)),
                Case.of("LayerNormalization", 17)
                        .floats(2, 3, 4)
                        .floats(3, 4)
                        .floats(3, 4)
                        .set("axis", 1),
                Case.of("IsInf", 20)
                        .fed(reals(1, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY))
                        .set("detect_negative", 0),
                Case.of("Reshape", 21).floats(2, 6).fixed(integers(0, -1, 3)),
                Case.of("Cast", 21).floats(2, 3).set("to", 7),
                Case.of("GatherND", 18).floats(3, 4).fixed(shaped(integers(0, 1, 2, 3), 2, 2)),
                Case.of("HardSwish", 22).floats(2, 5),
                Case.of("ConvTranspose", 22)
                        .floats(1, 2, 3, 3)
                        .floats(2, 4, 3, 3)
                        .floats(4)
                        .set("strides", List.of(2, 2))
                        .set("pads", List.of(1, 1, 0, 1)),
                Case.contributed("BiasGelu").floats(2, 3).floats(3),
                Case.contributed("FastGelu").floats(2, 3).floats(3),
                Case.contributed("QuickGelu").floats(2, 3),
                Case.contributed("FusedMatMul")
                        .floats(2, 3, 4)
                        .floats(2, 5, 4)
                        .set("transB", 1)
                        .set("alpha", 0.5f),
                Case.contributed("SkipLayerNormalization")
                        .floats(2, 3, 4)
                        .floats(2, 3, 4)
                        .floats(4)
                        .floats(4)
                        .floats(4)
                        .set("epsilon", 1e-5f),
                Case.contributed("SkipSimplifiedLayerNormalization")
                        .floats(2, 3, 4)
                        .floats(2, 3, 4)
                        .floats(4)
                        .set("epsilon", 1e-5f),
                Case.contributed("MultiHeadAttention")
                        .floats(2, 3, 8)
                        .floats(2, 5, 8)
                        .floats(2, 5, 8)
                        .set("num_heads", 2),
                Case.contributed("RotaryEmbedding")
                        .floats(2, 2, 3, 4)
                        .fed(shaped(integers(0, 1, 2, 3, 5, 6), 2, 3))
                        .floats(7, 2)
                        .floats(7, 2));
    }

    private static byte[] bytes(StoredTensor tensor) {
        return tensor.data().toArray(ValueLayout.JAVA_BYTE);
    }

    private static int number(StoredType type) {
        return switch (type) {
            case F32 -> 1;
            case I64 -> 7;
            case BOOL -> 9;
            default -> throw new IllegalArgumentException("no operand of tests is of " + type);
        };
    }

    private static ProtoMessage initializer(StoredTensor tensor) {
        ProtoMessage message = new ProtoMessage();
        tensor.shape().forEach(extent -> message.number(1, extent));
        ByteBuffer raw = ByteBuffer.wrap(bytes(tensor)).order(ByteOrder.LITTLE_ENDIAN);
        return message.number(2, number(tensor.type())).text(8, tensor.name()).bytes(9, raw.array());
    }

    private static ProtoMessage input(StoredTensor tensor) {
        ProtoMessage shape = new ProtoMessage();
        tensor.shape().forEach(extent -> shape.message(1, new ProtoMessage().number(1, extent)));
        ProtoMessage type = new ProtoMessage().number(1, number(tensor.type())).message(2, shape);
        return new ProtoMessage().text(1, tensor.name()).message(2, new ProtoMessage().message(1, type));
    }

    private static byte[] model(Case of) throws Exception {
        ProtoMessage graph = new ProtoMessage();
        ProtoMessage node = new ProtoMessage();
        for (int i = 0; i < of.operands().size(); i++) {
            node.text(1, of.operands().get(i).elements() == 0 ? "" : "x" + i);
        }
        for (int i = 0; i < of.outputs(); i++) {
            node.text(2, "y" + i);
        }
        node.text(4, of.operator());
        of.attributes().forEach(attribute -> node.message(5, attribute));
        graph.message(1, node.text(7, of.domain())).text(2, "g");
        for (int i = 0; i < of.operands().size(); i++) {
            StoredTensor operand = of.operands().get(i);
            if (operand.elements() > 0 && of.constants().get(i)) {
                graph.message(5, initializer(operand));
            } else if (operand.elements() > 0) {
                graph.message(11, input(operand));
            }
        }
        for (int i = 0; i < of.outputs(); i++) {
            graph.message(12, new ProtoMessage().text(1, "y" + i));
        }
        ProtoMessage model = new ProtoMessage()
                .number(1, 10)
                .message(7, graph)
                .message(8, new ProtoMessage().text(1, "").number(2, of.opset()));
        if (!of.domain().isEmpty()) {
            model.message(8, new ProtoMessage().text(1, of.domain()).number(2, 1));
        }
        return OnnxRun.bytes(model);
    }

    /** Of version 27, which ONNX Runtime 1.24 does not know: by hand. */
    @Test
    void convolvesOverWhatWasBefore() throws Exception {
        Case causal = Case.of("CausalConvWithState", 27)
                .giving(2)
                .fed(shaped(reals(1, 2, 3, 4, 5, 6, 7, 8), 1, 2, 4))
                .fixed(shaped(reals(1, 10, 100, 2, 20, 200), 2, 1, 3));
        assertThat(results(causal).get("y0")).containsExactly(100, 210, 321, 432, 1000, 1300, 1530, 1752);
        assertThat(results(causal).get("y1")).containsExactly(3, 4, 7, 8);
        Case goesOn = causal.fixed(reals(0.5f, 0.25f)).fed(shaped(reals(7, 8, 9, 11), 1, 2, 2));
        assertThat(results(goesOn).get("y0"))
                .containsExactly(187.5f, 218.5f, 321.5f, 432.5f, 1238.25f, 1322.25f, 1530.25f, 1752.25f);
    }

    private Map<String, float[]> results(Case each) throws Exception {
        Path file = Files.write(folder.resolve("m.onnx"), model(each));
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
    void computesWhatOnnxRuntimeDoes(Case each) throws Exception {
        byte[] model = model(each);
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
