package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import dev.remat.ir.diagnostic.ModelException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attention whose scale is calculated of an extent while it runs, as PyTorch exports scaled_dot_product_attention. */
class ReadableScalesTest extends ReadableGraph {
    @BeforeEach
    void heads() {
        graph = new ProtoMessage().message(11, OnnxText.value("x", OnnxText.FLOAT, 2, 2, 3, WIDTH));
    }

    private void integer(String name, long value, long... dims) {
        byte[] bytes = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
        graph.message(5, OnnxText.tensor(name, OnnxText.INT64, bytes, dims));
    }

    private void cast(String output, String input) {
        ProtoMessage to =
                new ProtoMessage().text(1, "to").number(3, OnnxText.FLOAT).number(20, 2);
        graph.message(1, OnnxText.node("Cast", input, output).message(5, to));
    }

    /** The fourth root of one over the extent from one place to another, on queries and on keys. */
    private String attended(long from, long to) throws IOException {
        integer("from", from, 1);
        integer("to", to, 1);
        node("Shape", "shape", "x").node("Slice", "extent", "shape", "from", "to");
        cast("real", "extent");
        number("one", 1).node("Sqrt", "root", "real").node("Div", "scale", "one", "root");
        node("Sqrt", "half", "scale").node("Mul", "q", "x", "half").transpose("turned", "x", 0, 1, 3, 2);
        node("Mul", "k", "turned", "half").node("MatMul", "scores", "q", "k");
        return softmax("shares", "scores").node("MatMul", "y", "shares", "x").text("y");
    }

    @Test
    void ofTheLastExtentIsTheUsualOne() throws IOException {
        assertThat(attended(-1, Long.MAX_VALUE)).contains("y = attention(x, x, x)\n");
    }

    /** One over the root of three. */
    @Test
    void ofAnotherExtentIsWritten() throws IOException {
        assertThat(attended(2, 3)).containsPattern("attention\\(x, x, x, scale = 0\\.57735\\d+\\)");
    }

    @Test
    void mayDivideScores() throws IOException {
        integer("last", 3);
        node("Shape", "shape", "x").node("Gather", "extent", "shape", "last");
        cast("real", "extent");
        node("Sqrt", "root", "real").transpose("k", "x", 0, 1, 3, 2).node("MatMul", "scores", "x", "k");
        node("Div", "scaled", "scores", "root").softmax("shares", "scaled");
        assertThat(node("MatMul", "y", "shares", "x").text("y")).contains("y = attention(x, x, x)\n");
    }

    /** Numbers that depend on data are no scale, but part of the queries. */
    @Test
    void ofDataIsLeftAlone() throws IOException {
        node("ReduceMax", "most", "x").node("Mul", "q", "x", "most").transpose("k", "x", 0, 1, 3, 2);
        node("MatMul", "scores", "q", "k").softmax("shares", "scores");
        assertThat(node("MatMul", "y", "shares", "x").text("y"))
                .contains("q = x * amax(x", "attention(q, x, x, scale = 1.0)");
    }

    /** Numbers of four bits are none that a pattern could look at. */
    @Test
    void ofATypeThatNobodyReadsIsRefused() {
        graph.message(5, OnnxText.tensor("by", 23, new byte[] {1}));
        transpose("k", "x", 0, 1, 3, 2).node("MatMul", "scores", "x", "k").node("Div", "scaled", "scores", "by");
        softmax("shares", "scaled").node("MatMul", "y", "shares", "x");
        assertThatThrownBy(() -> text("y"))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("its elements are of float4e2m1");
    }
}
