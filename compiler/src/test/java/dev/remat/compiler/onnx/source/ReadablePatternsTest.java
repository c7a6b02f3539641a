package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.diagnostic.ModelException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Layers and names that exporters take apart, and what only looks like them. */
class ReadablePatternsTest extends ReadableGraph {
    /** By a quotient; or, as Llama's exporters do, by a factor. */
    private ReadableGraph rmsNorm(String root, long axis) {
        number("two", 2).number("eps", 1e-6f).weight("norm.weight", WIDTH);
        node("Pow", "square", "x", "two").mean("mean", "square", axis).node("Add", "sum", "mean", "eps");
        node("Sqrt", "root", "sum");
        if (root.equals("Div")) {
            node("Div", "normal", "x", "root");
        } else {
            node(root, "factor", "root").node("Mul", "normal", "x", "factor");
        }
        return node("Mul", "y", "norm.weight", "normal");
    }

    @Test
    void recognisesRmsNorm() throws IOException {
        assertThat(rmsNorm("Div", -1).text("y")).contains("y = rms_norm(x) as norm");
        begin();
        assertThat(rmsNorm("Reciprocal", 2).text("y")).contains("y = rms_norm(x) as norm");
    }

    @Test
    void leavesOtherRootsAndAxesAlone() throws IOException {
        assertThat(rmsNorm("Exp", -1).text("y")).doesNotContain("rms_norm");
        begin();
        assertThat(rmsNorm("Div", -1).text("y", "normal")).doesNotContain("rms_norm");
        begin();
        assertThat(rmsNorm("Div", 1).text("y")).doesNotContain("rms_norm").contains("mean(square(x), axis = 1");
    }

    private ReadableGraph geluByTanh(float cube) {
        number("c", cube).number("root", 0.7978846f).number("one", 1).number("half", 0.5f);
        node("Mul", "x2", "x", "x").node("Mul", "x3", "x", "x2").node("Mul", "part", "x3", "c");
        node("Add", "inner", "x", "part").node("Mul", "scaled", "inner", "root").node("Tanh", "tanh", "scaled");
        return node("Add", "plus", "tanh", "one")
                .node("Mul", "halves", "x", "half")
                .node("Mul", "y", "halves", "plus");
    }

    @Test
    void recognisesGeluByTanhAndLeavesOtherCubicsAlone() throws IOException {
        assertThat(geluByTanh(0.044715f).text("y")).contains("y = gelu(x, approximate = \"tanh\")");
        begin();
        assertThat(geluByTanh(0.05f).text("y")).doesNotContain("gelu");
    }

    @Test
    void takesMatricesByRowsAsTheyAre() throws IOException {
        weight("fc.weight", 6, WIDTH).weight("fc.bias", 6).transpose("turned", "fc.weight", 1, 0);
        node("MatMul", "product", "x", "turned").node("Add", "y", "product", "fc.bias");
        ImportedGraph imported = imported(false, "y");
        assertThat(imported.text()).contains("y = linear(x, 6) as fc");
        assertThat(imported.weights().getFirst().layout()).isInstanceOf(WrittenWeight.Layout.Same.class);
        assertThat(imported.weights().getFirst().shape()).containsExactly(6L, (long) WIDTH);
    }

    @Test
    void leavesBiasesOfOtherModulesAlone() throws IOException {
        weight("fc.weight", WIDTH, 6).weight("output_bias", 6);
        node("MatMul", "product", "x", "fc.weight").node("Add", "y", "product", "output_bias");
        assertThat(text("y")).contains("linear(x, 6, bias = false) as fc + output_bias", "param output_bias");
    }

    @Test
    void takesBiasesThatExportersHaveNamed() throws IOException {
        weight("onnx::MatMul_7", WIDTH, 6).weight("fc.bias", 6);
        node("MatMul", "product", "x", "onnx::MatMul_7").node("Add", "y", "fc.bias", "product");
        assertThat(text("y")).contains("y = linear(x, 6) as fc");
    }

    /** A convolution and what is added to its six channels. */
    private ReadableGraph convolution(int... shape) {
        graph.message(11, OnnxText.value("image", OnnxText.FLOAT, 1, 2, 5, 5));
        weight("conv.weight", 6, 2, 3, 3).weight("conv.bias", 6).shape("channels", shape);
        return node("Conv", "h", "image", "conv.weight")
                .node("Reshape", "bias", "conv.bias", "channels")
                .node("Add", "y", "h", "bias");
    }

    @Test
    void recognisesBiasesOfChannels() throws IOException {
        assertThat(convolution(1, 6, 1, 1).text("y")).contains("y = conv2d(image, 6, 3) as conv");
        begin();
        assertThat(convolution(6, 1, 1).text("y")).contains("y = conv2d(image, 6, 3) as conv");
        begin();
        graph.message(11, OnnxText.value("image", OnnxText.FLOAT, 1, 2, 5, 5));
        weight("w", 6, 2, 3, 3).weight("b", 1, 6, 1, 1);
        node("Conv", "h", "image", "w").node("Add", "y", "b", "h");
        ImportedGraph imported = imported(false, "y");
        assertThat(imported.text()).contains("y = conv2d(image, 6, 3) as w");
        assertThat(imported.weights().getLast().shape()).containsExactly(6L);
    }

    @Test
    void leavesWhatIsAddedToRowsAlone() throws IOException {
        graph.message(11, OnnxText.value("image", OnnxText.FLOAT, 1, 2, 8, 8));
        weight("conv.weight", 6, 2, 3, 3).weight("conv.bias", 6).shape("rows", 6, 1);
        node("Conv", "h", "image", "conv.weight");
        node("Reshape", "bias", "conv.bias", "rows").node("Add", "y", "h", "bias");
        assertThat(text("y")).contains("bias = false").contains("param bias");
    }

    /** A table that tokens are looked up in, and that scores are taken by. */
    private ReadableGraph tied(String table) {
        graph.message(11, OnnxText.value("tokens", OnnxText.INT64, 2, 3));
        weight(table, 7, WIDTH).transpose("turned", table, 1, 0);
        return node("Gather", "h", table, "tokens").node("MatMul", "y", "h", "turned");
    }

    @Test
    void tiesTablesThatTwoRead() throws IOException {
        ImportedGraph imported = tied("wte.weight").imported(false, "y");
        assertThat(imported.text())
                .contains("embedding(tokens, 7, 4) as wte", "y = linear(h, 7, weight = wte.weight, bias = false)");
        assertThat(imported.weights()).extracting(WrittenWeight::name).containsExactly("wte.weight");
    }

    @Test
    void tiesTablesOfModulesInModules() throws IOException {
        ImportedGraph imported = tied("model.wte.weight").imported(false, "y");
        assertThat(imported.text())
                .contains("Wte() as \"model.wte\"", "embedding(tokens, 7, 4, weight = model_wte_weight)")
                .contains("linear(h, 7, weight = model_wte_weight, bias = false)");
        assertThat(imported.weights()).extracting(WrittenWeight::name).containsExactly("model.wte.weight");
    }

    @Test
    void recognisesPositions() throws IOException {
        weight("wpe.weight", 8, WIDTH).shape("zero", 0).shape("three", 3);
        node("Slice", "rows", "wpe.weight", "zero", "three", "zero").node("Add", "y", "x", "rows");
        assertThat(text("y")).contains("x + positions(3, 4, max = 8) as wpe");
        begin();
        weight("wpe.weight", 8, WIDTH).shape("zero", 0).shape("one", 1).shape("four", 4);
        node("Slice", "rows", "wpe.weight", "one", "four", "zero").node("Add", "y", "x", "rows");
        assertThat(text("y")).doesNotContain("positions").contains("slice(wpe_weight, 1, 4, axis = 0)");
    }

    /** Rows of tokens, and of ids that the file has, from a place on. */
    private ReadableGraph byPlace(int begin, String tokens) {
        graph.message(11, OnnxText.value("tokens", OnnxText.INT64, 2, 3));
        weight("wte.weight", 7, WIDTH).weight("wpe.weight", 5, WIDTH).shape("ids", 0, 1, 2, 3, 4);
        shape("begin", begin).shape("end", begin + 3).shape("axis", 0).scalar("first", 1);
        node("Slice", "places", "ids", "begin", "end", "axis");
        return node("Gather", "a", "wte.weight", tokens)
                .node("Gather", "b", "wpe.weight", "places")
                .node("Add", "y", "a", "b");
    }

    @Test
    void recognisesPositionsByIdsThatCount() throws IOException {
        assertThat(byPlace(0, "tokens").text("y")).contains("positions(3, 4, max = 5) as wpe");
    }

    @Test
    void leavesOtherIdsAlone() throws IOException {
        assertThat(byPlace(1, "tokens").text("y")).doesNotContain("positions(");
        begin();
        // One row of tokens has no axis that rows of places could repeat along.
        assertThat(byPlace(0, "first").text("y")).doesNotContain("positions(");
    }

    private ReadableGraph hardSwish(float three, boolean divides) {
        number("three", three).number("zero", 0).number("six", 6).number("sixth", 1f / 6);
        node("Add", "sum", "x", "three")
                .node("Clip", "gate", "sum", "zero", "six")
                .node("Mul", "h", "x", "gate");
        return divides ? node("Div", "y", "h", "six") : node("Mul", "y", "h", "sixth");
    }

    @Test
    void recognisesHardSwishAndLeavesOtherGatesAlone() throws IOException {
        assertThat(hardSwish(3, true).text("y")).contains("y = hardswish(x)");
        begin();
        assertThat(hardSwish(3, false).text("y")).contains("y = hardswish(x)");
        begin();
        assertThat(hardSwish(2, true).text("y")).doesNotContain("hardswish");
        begin();
        assertThat(hardSwish(3, true).text("y", "gate")).doesNotContain("hardswish");
    }

    /** Attention over two heads, where scores are hidden by a mask. */
    private ReadableGraph masked(float hidden, boolean isCausal) {
        shape("apart", 2, 3, 2, 2).number("hidden", hidden);
        node("Reshape", "split", "x", "apart").transpose("q", "split", 0, 2, 1, 3);
        node("Reshape", "split2", "x", "apart").transpose("k", "split2", 0, 2, 3, 1);
        node("Reshape", "split3", "x", "apart").transpose("v", "split3", 0, 2, 1, 3);
        node("MatMul", "scores", "q", "k");
        if (isCausal) {
            scalar("zero", 0).scalar("one", 1).scalar("three", 3).shape("last", 1);
            node("Range", "places", "zero", "three", "one").node("Unsqueeze", "rows", "places", "last");
            node("GreaterOrEqual", "mask", "rows", "places");
        } else {
            graph.message(11, OnnxText.value("given", OnnxText.BOOL, 2, 1, 1, 3));
            node("Identity", "mask", "given");
        }
        return node("Where", "shown", "mask", "scores", "hidden")
                .softmax("shares", "shown")
                .node("MatMul", "y", "shares", "v");
    }

    @Test
    void recognisesMasks() throws IOException {
        assertThat(masked(Float.NEGATIVE_INFINITY, false).text("y"))
                .contains("attention(", "mask = given", "scale = 1.0");
        begin();
        assertThat(masked(Float.NEGATIVE_INFINITY, true).text("y")).contains("attention(", "causal = true");
        begin();
        assertThat(masked(-3e38f, true).text("y")).contains("attention(", "causal = true");
    }

    @Test
    void leavesMasksAloneThatHideByHalves() throws IOException {
        // Where a query attends to nothing, these give the mean of all values, and attention 0.
        assertThat(masked(-3e38f, false).text("y")).doesNotContain("attention(");
        begin();
        assertThat(masked(-10, true).text("y")).doesNotContain("attention(");
    }

    @Test
    void recognisesLayersInBranchesThatAreTaken() throws IOException {
        ProtoMessage taken = new ProtoMessage()
                .message(
                        1,
                        new ProtoMessage()
                                .text(1, "x")
                                .text(1, "fc.weight")
                                .text(2, "h")
                                .text(4, "MatMul"))
                .message(5, OnnxText.tensor("fc.weight", OnnxText.FLOAT, OnnxText.floats(new float[12]), 4, 3))
                .message(12, OnnxText.value("h", OnnxText.FLOAT));
        ProtoMessage other = new ProtoMessage()
                .message(1, OnnxText.node("Exp", "x", "h"))
                .message(12, OnnxText.value("h", OnnxText.FLOAT));
        ProtoMessage decides = OnnxText.node("If", "yes", "chosen")
                .message(
                        5,
                        new ProtoMessage()
                                .text(1, "then_branch")
                                .message(6, taken)
                                .number(20, 5))
                .message(
                        5,
                        new ProtoMessage()
                                .text(1, "else_branch")
                                .message(6, other)
                                .number(20, 5));
        graph.message(5, OnnxText.tensor("yes", OnnxText.BOOL, new byte[] {1}));
        graph.message(1, decides);
        assertThat(node("Relu", "y", "chosen").text("y"))
                .contains("y = relu(linear(x, 3, bias = false) as fc)")
                .doesNotContain("exp(");
    }

    @Test
    void refusesNodesThatLackOperands() {
        for (String operator : List.of("Conv", "Reshape", "Gather", "MatMul", "BatchNormalization", "Mul", "Add")) {
            begin();
            assertThatThrownBy(() -> node(operator, "y", "x").text("y"))
                    .as(operator)
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining(operator);
        }
    }

    @Test
    void keepsWeightsOfModulesUnderTheirNames() throws IOException {
        weight("mix.0.gain", WIDTH).weight("mix.1.gain", WIDTH).weight("scale", WIDTH);
        node("Mul", "a", "x", "mix.0.gain").node("Exp", "b", "a").node("Mul", "c", "b", "mix.1.gain");
        node("Mul", "y", "c", "scale");
        ImportedGraph imported = imported(false, "y");
        assertThat(imported.text())
                .contains("layer Mix()", "param gain: f32[4]", "Mix() as \"mix.0\"", "Mix() as \"mix.1\"")
                .contains("param scale: f32[4]");
        assertThat(imported.weights())
                .extracting(WrittenWeight::name)
                .containsExactlyInAnyOrder("mix.0.gain", "mix.1.gain", "scale");
    }

    @Test
    void givesLayersInLoopsTheirOwnWeights() throws IOException {
        String x = "x";
        for (int i = 0; i < 3; i++) {
            weight("h." + i + ".gain", WIDTH).weight("h." + i + ".fc.weight", WIDTH, WIDTH);
            node("MatMul", "p" + i, x, "h." + i + ".fc.weight").node("Exp", "e" + i, "p" + i);
            node("Mul", "g" + i, "e" + i, "h." + i + ".gain").node("Tanh", "t" + i, "g" + i);
            node("Neg", "n" + i, "t" + i).node("Add", "s" + i, "n" + i, x);
            x = "s" + i;
        }
        String text = node("Sigmoid", "y", x).text("y");
        assertThat(text).contains("repeat depth", "    param gain: f32[4] = zeros", "* gain", "as h");
        assertThat(text).doesNotContain("h_0_gain");
    }

    @Test
    void calculatesWhatExportersHaveCalculated() throws IOException {
        ProtoMessage angles =
                OnnxText.tensor("/rotary/Constant_output_0", OnnxText.FLOAT, OnnxText.floats(1, 2, 3, 4), 4);
        graph.message(5, angles);
        assertThat(node("Mul", "y", "x", "/rotary/Constant_output_0").text("y"))
                .contains("0 parameters", "tensor([1.0, 2.0, 3.0, 4.0]");
    }
}
