package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What groups of nodes are recognised as, and what they are not, where one thing is otherwise. */
class ReadableTextTest extends ReadableGraph {
    /** Nine nodes, by power and epsilon. */
    private ReadableGraph layerNorm(float power, long axis) {
        return mean("mean", "x", axis)
                .node("Sub", "centred", "x", "mean")
                .number("two", power)
                .node("Pow", "square", "centred", "two")
                .mean("variance", "square", -1)
                .number("eps", 1e-12f)
                .node("Add", "sum", "variance", "eps")
                .node("Sqrt", "root", "sum")
                .node("Div", "normal", "centred", "root")
                .weight("norm.weight", WIDTH)
                .node("Mul", "scaled", "normal", "norm.weight")
                .weight("norm.bias", WIDTH)
                .node("Add", "y", "scaled", "norm.bias");
    }

    @Test
    void recognisesLayerNorm() throws IOException {
        assertThat(layerNorm(2, -1).text("y")).contains("y = layer_norm(x, eps = 1e-12) as norm");
    }

    @Test
    void leavesOtherPowersAxesAndReadersAlone() throws IOException {
        assertThat(layerNorm(3, -1).text("y")).doesNotContain("layer_norm");
        begin();
        assertThat(layerNorm(2, 1).text("y")).doesNotContain("layer_norm");
        begin();
        assertThat(layerNorm(2, -1).text("y", "normal")).doesNotContain("layer_norm");
    }

    private ReadableGraph gelu(float half, float root) {
        return number("root", root)
                .number("one", 1)
                .number("half", half)
                .node("Div", "scaled", "x", "root")
                .node("Erf", "erf", "scaled")
                .node("Add", "plus", "erf", "one")
                .node("Mul", "product", "x", "plus")
                .node("Mul", "y", "product", "half");
    }

    @Test
    void recognisesGelu() throws IOException {
        assertThat(gelu(0.5f, 1.4142135f).text("y")).contains("y = gelu(x)");
    }

    @Test
    void leavesOtherConstantsAlone() throws IOException {
        assertThat(gelu(0.6f, 1.4142135f).text("y")).doesNotContain("gelu");
        begin();
        assertThat(gelu(0.5f, 1.5f).text("y")).doesNotContain("gelu");
        begin();
        assertThat(gelu(0.5f, 1.4142135f).text("y", "plus")).doesNotContain("gelu");
    }

    @Test
    void recognisesSiluAndLeavesOtherGatesAlone() throws IOException {
        node("Sigmoid", "gate", "x").node("Mul", "y", "x", "gate");
        assertThat(text("y")).contains("y = silu(x)");
        begin();
        node("Exp", "other", "x").node("Sigmoid", "gate", "x").node("Mul", "y", "other", "gate");
        assertThat(text("y")).doesNotContain("silu");
    }

    @Test
    void recognisesLinearWithItsTransposedWeight() throws IOException {
        weight("fc.weight", WIDTH, 6).weight("fc.bias", 6);
        node("MatMul", "product", "x", "fc.weight").node("Add", "y", "fc.bias", "product");
        ImportedGraph imported = imported(false, "y");
        assertThat(imported.text()).contains("y = linear(x, 6) as fc").doesNotContain("param fc");
        assertThat(imported.weights()).extracting(WrittenWeight::name).containsExactly("fc.weight", "fc.bias");
        WrittenWeight weight = imported.weights().getFirst();
        assertThat(weight.shape()).containsExactly(6L, (long) WIDTH);
        assertThat(weight.layout()).isInstanceOf(WrittenWeight.Layout.Transposed.class);
    }

    @Test
    void leavesWeightsOfTwoReadersAlone() throws IOException {
        weight("fc.weight", WIDTH, WIDTH);
        node("MatMul", "h", "x", "fc.weight").node("MatMul", "y", "h", "fc.weight");
        assertThat(text("y")).contains("param weight", "Fc() as fc").doesNotContain("linear");
    }

    /** A product with a matrix that a node gives. */
    private ReadableGraph constantProduct() {
        float[] values = new float[WIDTH * 6];
        values[0] = 1;
        ProtoMessage value = new ProtoMessage()
                .text(1, "value")
                .message(5, OnnxText.tensor("", OnnxText.FLOAT, OnnxText.floats(values), WIDTH, 6))
                .number(20, 4);
        graph.message(1, new ProtoMessage().text(2, "w").text(4, "Constant").message(5, value));
        return node("MatMul", "y", "x", "w");
    }

    @Test
    void takesConstantsForWeightsWhereNothingElseIs() throws IOException {
        assertThat(constantProduct().text("y")).contains("linear(x, 6, bias = false) as w");
        begin();
        weight("other.weight", WIDTH);
        constantProduct().node("Mul", "z", "x", "other.weight");
        assertThat(text("y", "z")).contains("buffer", "@").doesNotContain("linear");
    }

    /** Two heads of x with itself. */
    private ReadableGraph attention(long... keys) {
        return shape("apart", 2, 3, 2, 2)
                .shape("together", 2, 3, WIDTH)
                .node("Reshape", "a", "x", "apart")
                .transpose("q", "a", 0, 2, 1, 3)
                .node("Reshape", "b", "x", "apart")
                .transpose("k", "b", keys)
                .node("Reshape", "c", "x", "apart")
                .transpose("v", "c", 0, 2, 1, 3)
                .node("MatMul", "scores", "q", "k")
                .number("width", 1.4142135f)
                .node("Div", "scaled", "scores", "width")
                .softmax("shares", "scaled")
                .node("MatMul", "mixed", "shares", "v")
                .transpose("rows", "mixed", 0, 2, 1, 3)
                .node("Reshape", "y", "rows", "together");
    }

    @Test
    void recognisesAttentionAndItsHeads() throws IOException {
        assertThat(attention(0, 2, 3, 1).text("y"))
                .contains("split_heads(x, 2)", "attention(", "merge_heads(")
                .doesNotContain("softmax", "scale =");
    }

    @Test
    void leavesScoresThatAreReadAlone() throws IOException {
        assertThat(attention(0, 2, 3, 1).text("y", "shares"))
                .contains("softmax")
                .doesNotContain("attention(");
    }

    /** Residual blocks, of which one may be otherwise. */
    private ReadableGraph blocks(int count, int odd) {
        String x = "x";
        for (int i = 0; i < count; i++) {
            weight("net.h." + i + ".fc.weight", WIDTH, WIDTH).weight("net.h." + i + ".fc.bias", WIDTH);
            node("MatMul", "p" + i, x, "net.h." + i + ".fc.weight");
            node("Add", "l" + i, "p" + i, "net.h." + i + ".fc.bias");
            node(i == odd ? "Tanh" : "Relu", "r" + i, "l" + i);
            node("Exp", "e" + i, "r" + i);
            node("Neg", "n" + i, "e" + i);
            node("Add", "s" + i, "n" + i, x);
            x = "s" + i;
        }
        return node("Sigmoid", "y", x);
    }

    @Test
    void rollsEqualModulesIntoALoop() throws IOException {
        ImportedGraph imported = blocks(3, -1).imported(false, "y");
        assertThat(imported.text())
                .contains("model M(depth: int = 3)", "repeat depth", "as \"net.h\"", "linear(x, 4) as fc");
        assertThat(imported.weights())
                .extracting(WrittenWeight::name)
                .contains("net.h.0.fc.weight", "net.h.2.fc.bias")
                .hasSize(6);
    }

    /** Blocks whose weights are called as no framework calls them. */
    private ReadableGraph unnamed(int odd) {
        String x = "x";
        for (int i = 0; i < 4; i++) {
            weight("w:" + i, WIDTH, WIDTH);
            node("MatMul", "p" + i, x, "w:" + i).node(i == odd ? "Tanh" : "Relu", "r" + i, "p" + i);
            node("Exp", "e" + i, "r" + i).node("Neg", "n" + i, "e" + i).node("Add", "s" + i, "n" + i, x);
            x = "s" + i;
        }
        return node("Sigmoid", "y", x);
    }

    @Test
    void rollsWhatRepeatsWithoutNames() throws IOException {
        ImportedGraph imported = unnamed(-1).imported(false, "y");
        assertThat(imported.text()).contains("model M(depth: int = 4)", "as block", "bias = false) as linear1");
        assertThat(imported.weights())
                .extracting(WrittenWeight::name)
                .containsExactly(
                        "block.0.linear1.weight",
                        "block.1.linear1.weight",
                        "block.2.linear1.weight",
                        "block.3.linear1.weight");
    }

    @Test
    void leavesNamesAloneWhereNothingRepeats() throws IOException {
        ImportedGraph imported = unnamed(2).imported(false, "y");
        assertThat(imported.text()).doesNotContain("repeat");
        assertThat(imported.weights()).extracting(WrittenWeight::name).contains("w_0.weight", "w_3.weight");
    }

    @Test
    void leavesModulesThatDifferAlone() throws IOException {
        assertThat(blocks(3, 1).text("y")).doesNotContain("repeat").contains("as \"net.h.1.fc\"");
        begin();
        assertThat(blocks(3, -1).text("y", "r1")).doesNotContain("repeat");
    }

    @Test
    void keepsEveryNodeAStatementWherePlainIsAsked() throws IOException {
        String text = blocks(3, -1).imported(true, "y").text();
        assertThat(text).doesNotContain("repeat", "linear").contains("param net_h_0_fc_weight");
        assertThat(text.lines().filter(line -> line.contains(" = ") && !line.contains("param")))
                .hasSize(19);
    }
}
