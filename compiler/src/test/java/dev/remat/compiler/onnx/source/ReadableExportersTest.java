package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What exporters call things by, and what a first module has alone. */
class ReadableExportersTest extends ReadableGraph {
    private ReadableGraph named(String name, String operator, String output, String... inputs) {
        ProtoMessage node = new ProtoMessage();
        for (String input : inputs) {
            node.text(1, input);
        }
        graph.message(1, node.text(2, output).text(3, name).text(4, operator));
        return this;
    }

    @Test
    void callsLayersAsTensorFlowDoes() throws IOException {
        weight("StatefulPartitionedCall/model/dense/MatMul/ReadVariableOp:0", WIDTH, 2);
        named(
                "StatefulPartitionedCall/model/dense/MatMul",
                "MatMul",
                "y",
                "x",
                "StatefulPartitionedCall/model/dense/MatMul/ReadVariableOp:0");
        assertThat(text("y")).contains("y = linear(x, 2, bias = false) as \"model.dense\"");
    }

    @Test
    void makesNoPathOfANameWithoutOne() throws IOException {
        weight("w", WIDTH, 2);
        assertThat(named("MatMul_7", "MatMul", "y", "x", "w").text("y"))
                .contains("y = linear(x, 2, bias = false) as w");
    }

    /** Rounds that all read what the first one has made, as T5's relative positions. */
    private ReadableGraph rounds(String table) {
        weight(table + ".weight", WIDTH, WIDTH).node("MatMul", "shared", "x", table + ".weight");
        node("Tanh", "bounded", "shared");
        String before = "x";
        for (int i = 0; i < 4; i++) {
            weight("blocks." + i + ".fc.weight", WIDTH, WIDTH);
            node("MatMul", "a" + i, before, "blocks." + i + ".fc.weight").node("Add", "b" + i, "a" + i, "bounded");
            node("Exp", "c" + i, "b" + i).node("Sub", "d" + i, "b" + i, "c" + i);
            before = "d" + i;
        }
        return node("Neg", "y", before);
    }

    @Test
    void rollsRoundsOfWhichTheFirstHasATable() throws IOException {
        assertThat(rounds("blocks.0.table").text("y"))
                .contains("depth: int = 4", "as \"blocks.0.table\"", "as blocks\n");
        begin();
        assertThat(rounds("table").text("y")).contains("depth: int = 4", "as table", "as blocks\n");
    }

    @Test
    void leavesRoundsAloneOfWhichALaterOneHasATable() throws IOException {
        rounds("blocks.2.table");
        assertThat(text("y")).contains("as \"blocks.2.table\"");
    }

    private ReadableGraph scores(float hidden) {
        graph.message(
                5, OnnxText.tensor("mask", OnnxText.FLOAT, OnnxText.floats(0, hidden, 0, 0, 0, 0, 0, 0, 0), 3, 3));
        transpose("swapped", "x", 0, 2, 1).node("MatMul", "product", "x", "swapped");
        return node("Add", "y", "product", "mask");
    }

    @Test
    void trainsNoMasks() throws IOException {
        assertThat(scores(Float.NEGATIVE_INFINITY).text("y")).contains("buffer mask: f32[3, 3]");
        begin();
        assertThat(scores(-1e4f).text("y")).contains("param mask: f32[3, 3]");
    }

    /** A part of a constant, which is a table of its own in the text. */
    private ReadableGraph part(String output, int from) {
        shape(output + ".from", from).shape(output + ".to", from + 20).shape("axis." + output, 0);
        return node("Slice", output, "table", output + ".from", output + ".to", "axis." + output);
    }

    @Test
    void keepsEqualNumbersOnce() throws IOException {
        byte[] table = new byte[8 * 40];
        for (int i = 0; i < 40; i++) {
            table[8 * i] = (byte) (i * i % 7);
        }
        graph.message(5, OnnxText.tensor("table", OnnxText.INT64, table, 40));
        part("a", 0);
        part("b", 0);
        part("c", 1);
        assertThat(text("a", "b", "c"))
                .containsOnlyOnce("a_values:")
                .contains("c_values:")
                .doesNotContain("b_values:");
    }
}
