package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Functions, counts and norms of groups that exporters take apart, and what only looks like them. */
class ReadableFormulasTest extends ReadableGraph {
    private static final int DOUBLE = 11;

    /** As PyTorch exports it: an instance norm of groups, whose channels are scaled and moved. */
    private ReadableGraph groupNorm(float scale, int... whole) {
        shape("groups", 2, 1, 12).shape("whole", whole);
        vector("ones", scale);
        vector("zeros", 0).weight("norm.weight", 3, 1).weight("norm.bias", 3, 1);
        node("Reshape", "grouped", "x", "groups").node("InstanceNormalization", "normal", "grouped", "ones", "zeros");
        node("Reshape", "back", "normal", "whole").node("Mul", "scaled", "back", "norm.weight");
        return node("Add", "y", "scaled", "norm.bias");
    }

    private ReadableGraph vector(String name, float value) {
        graph.message(5, OnnxText.tensor(name, OnnxText.FLOAT, OnnxText.floats(value), 1));
        return this;
    }

    @Test
    void recognisesGroupNormOfPyTorch() throws IOException {
        ImportedGraph imported = groupNorm(1, 2, 3, 4).imported(false, "y");
        assertThat(imported.text()).contains("y = group_norm(x, 1) as norm");
        assertThat(imported.weights())
                .extracting(weight -> weight.name() + weight.shape())
                .containsExactly("norm.weight[3]", "norm.bias[3]");
    }

    @Test
    void leavesOtherScalesAndShapesAlone() throws IOException {
        assertThat(groupNorm(2, 2, 3, 4).text("y")).doesNotContain("group_norm");
        begin();
        assertThat(groupNorm(1, 2, 1, 12).text("y"))
                .doesNotContain("group_norm")
                .contains("instance_norm(", "norm_weight", "norm_bias");
    }

    /** Over the axes behind the groups, of C/groups channels each. */
    private ReadableGraph formula(long first) {
        shape("groups", 2, 1, 3, 4).shape("channels", 1, 1, 3, 1).shape("whole", 2, 3, 4);
        number("eps", 1e-5f).weight("norm.weight", 3).weight("norm.bias", 3);
        node("Reshape", "g", "x", "groups");
        means("m", "g", first)
                .node("Sub", "d", "g", "m")
                .node("Sub", "d2", "g", "m")
                .node("Mul", "q", "d2", "d2");
        means("v", "q", first).node("Add", "e", "v", "eps").node("Sqrt", "s", "e");
        node("Div", "n", "d", "s")
                .node("Reshape", "w", "norm.weight", "channels")
                .node("Mul", "nw", "n", "w");
        node("Reshape", "b", "norm.bias", "channels").node("Add", "a", "nw", "b");
        return node("Reshape", "y", "a", "whole");
    }

    private ReadableFormulasTest means(String output, String input, long first) {
        ProtoMessage axes = new ProtoMessage()
                .text(1, "axes")
                .number(8, first)
                .number(8, first + 1)
                .number(20, 7);
        graph.message(1, OnnxText.node("ReduceMean", input, output).message(5, axes));
        return this;
    }

    @Test
    void recognisesGroupNormByItsFormulaAndLeavesOtherAxesAlone() throws IOException {
        assertThat(formula(2).text("y")).contains("y = group_norm(x, 1) as norm");
        begin();
        assertThat(formula(1).text("y")).doesNotContain("group_norm");
    }

    private ReadableGraph cast(String output, String input, long type) {
        ProtoMessage to = new ProtoMessage().text(1, "to").number(3, type).number(20, 2);
        graph.message(1, OnnxText.node("Cast", input, output).message(5, to));
        return this;
    }

    @Test
    void writesCountsAsWhatTheyFollowFrom() throws IOException {
        scalar("zero", 0).scalar("four", 4).scalar("one", 1).number("rate", 0.3f);
        node("Range", "range", "zero", "four", "one");
        cast("count", "range", OnnxText.FLOAT);
        node("Mul", "scaled", "count", "rate");
        assertThat(node("Mul", "y", "x", "scaled").text("y")).contains("y = x * (arange(4) * 0.3)");
    }

    @Test
    void countsInTheTypeThatIsAskedFor() throws IOException {
        scalar("one", 1).scalar("nine", 9).scalar("two", 2);
        node("Range", "range", "one", "nine", "two");
        cast("y", "range", DOUBLE);
        assertThat(text("y")).contains("y = arange(1, 9, 2, dtype = f64)");
    }

    private ReadableGraph expm1(float one) {
        number("half", 0.5f).number("one", one);
        node("Mul", "h", "x", "half")
                .node("Tanh", "t", "h")
                .node("Exp", "e", "x")
                .node("Add", "p", "e", "one");
        return node("Mul", "y", "t", "p");
    }

    @Test
    void recognisesExpm1AndLeavesOtherSumsAlone() throws IOException {
        assertThat(expm1(1).text("y")).contains("y = expm1(x)");
        begin();
        assertThat(expm1(2).text("y")).doesNotContain("expm1");
    }

    private ReadableGraph log1p(float border) {
        number("half", border).number("one", 1).number("two", 2);
        node("Abs", "a", "x")
                .node("Less", "near", "a", "half")
                .node("Add", "x1", "x", "one")
                .node("Log", "far", "x1");
        node("Add", "x2", "x", "two")
                .node("Div", "q", "x", "x2")
                .node("Atanh", "t", "q")
                .node("Mul", "z", "t", "two");
        return node("Where", "y", "near", "z", "far");
    }

    @Test
    void recognisesLog1pAndLeavesOtherBordersAlone() throws IOException {
        assertThat(log1p(0.5f).text("y")).contains("y = log1p(x)");
        begin();
        assertThat(log1p(0.25f).text("y")).doesNotContain("log1p");
    }

    @Test
    void readsALossOfScoresAsSuch() throws IOException {
        graph.message(11, OnnxText.value("targets", OnnxText.INT64, 2, 4));
        assertThat(node("SoftmaxCrossEntropyLoss", "y", "x", "targets").text("y"))
                .contains("y = cross_entropy(transpose(x), targets)");
    }

    @Test
    void repeatsANumberWithoutATensorOfOne() throws IOException {
        number("zero", 0).shape("rows", 2, 3, 4);
        assertThat(node("Expand", "zeros", "zero", "rows")
                        .node("Sub", "y", "zeros", "x")
                        .text("y"))
                .contains("y = full([2, 3, 4], 0.0, dtype = f32) - x");
    }

    @Test
    void computesInTheOrderOfTheFile() throws IOException {
        node("Exp", "second", "x").node("Tanh", "first", "x").node("Sub", "y", "first", "second");
        assertThat(text("y")).contains("second = exp(x)\n  y = tanh(x) - second");
    }
}
