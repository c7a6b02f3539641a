package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Modules that are the same but for some numbers, one behind the other. */
class ReadableLoopsTest extends ReadableGraph {
    private static ProtoMessage slope(float alpha) {
        return new ProtoMessage().text(1, "alpha").real(2, alpha).number(20, 1);
    }

    /** Linear, leaky ReLU, tanh and a second map of the same width in each, from x of four features. */
    private void rounds(int[] widths, float[] slopes) {
        String before = "x";
        int from = WIDTH;
        for (int i = 0; i < widths.length; i++) {
            String module = "stages." + i + ".";
            weight(module + "fc.weight", from, widths[i]).weight(module + "out.weight", widths[i], widths[i]);
            node("MatMul", "a" + i, before, module + "fc.weight");
            graph.message(1, OnnxText.node("LeakyRelu", "a" + i, "b" + i).message(5, slope(slopes[i])));
            node("Tanh", "c" + i, "b" + i).node("Exp", "d" + i, "c" + i);
            node("MatMul", "e" + i, "d" + i, module + "out.weight").node("Sigmoid", "f" + i, "e" + i);
            before = "f" + i;
            from = widths[i];
        }
        node("Relu", "y", before);
    }

    @Test
    void goThroughAListOfTheirNumbers() throws IOException {
        rounds(new int[] {8, 16, 32}, new float[] {0.5f, 0.5f, 0.5f});
        assertThat(text("y"))
                .contains("layer Stage(x, width) {", "for width in [8, 16, 32] {", "(x_1, width) as stages\n")
                .contains("linear(x, width, bias = false) as fc")
                .containsOnlyOnce("0.5")
                .doesNotContain("depth", "repeat");
    }

    @Test
    void goThroughPairsWhereTwoNumbersDiffer() throws IOException {
        rounds(new int[] {8, 16, 32}, new float[] {0.5f, 0.25f, 0.125f});
        assertThat(text("y"))
                .containsPattern("for \\(width, (\\w+)\\) in \\[\\(8, 0.5\\), \\(16, 0.25\\), \\(32, 0.125\\)\\] \\{");
    }

    @Test
    void areRepeatedWhereNoNumberDiffers() throws IOException {
        rounds(new int[] {WIDTH, WIDTH, WIDTH}, new float[] {0.5f, 0.5f, 0.5f});
        assertThat(text("y")).contains("depth: int = 3", "repeat depth {").doesNotContain("for ");
    }

    /** Nested: what is the same in all rounds is rolled first, and what is around it no round any more. */
    @Test
    void areRepeatedInsideFirst() throws IOException {
        String before = "x";
        for (int stage = 0; stage < 2; stage++) {
            for (int i = 0; i < 4; i++) {
                String module = "stages." + stage + ".blocks." + i + ".fc.weight";
                String made = "m" + stage + i;
                weight(module, WIDTH, WIDTH).node("MatMul", made, before, module);
                node("Tanh", made + "t", made).node("Exp", made + "e", made + "t");
                before = made + "e";
            }
            number("by" + stage, stage + 2).node("Mul", "by" + stage + "y", before, "by" + stage);
            before = "by" + stage + "y";
        }
        node("Relu", "y", before);
        assertThat(text("y")).contains("depth: int = 4", "repeat depth").doesNotContain("for ");
    }

    /** A parameter of a module itself has the extents of its layer. */
    @Test
    void stayApartWhereAWeightOfTheirOwnDiffers() throws IOException {
        String before = "x";
        for (int i = 0; i < 3; i++) {
            String module = "stages." + i + ".";
            long width = (long) WIDTH << i;
            weight(module + "fc.weight", width, 2 * width).weight(module + "gain", 2 * width);
            node("MatMul", "a" + i, before, module + "fc.weight").node("Tanh", "b" + i, "a" + i);
            node("Exp", "c" + i, "b" + i).node("Mul", "d" + i, "c" + i, module + "gain");
            before = "d" + i;
        }
        assertThat(node("Relu", "y", before).text("y"))
                .contains("stages.0.fc", "stages.2.fc")
                .doesNotContain("for ");
    }
}
