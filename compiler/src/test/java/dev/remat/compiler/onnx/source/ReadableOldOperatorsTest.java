package dev.remat.compiler.onnx.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxText;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What exporters wrote before operators were as they are, and weights as integers. */
class ReadableOldOperatorsTest extends ReadableGraph {
    private static final int UINT8 = 2;
    private static final int INT8 = 3;

    private static ProtoMessage integer(String name, long value) {
        return new ProtoMessage().text(1, name).number(3, value).number(20, 2);
    }

    @BeforeEach
    void images() {
        graph = new ProtoMessage().message(11, OnnxText.value("x", OnnxText.FLOAT, 2, 3, 5, 4));
    }

    /** PyTorch 0.3 added biases so. */
    private String convolved(long axis) throws IOException {
        weight("w", 4, 3, 1, 1).weight("b", 4).node("Conv", "c", "x", "w");
        ProtoMessage add =
                new ProtoMessage().text(1, "c").text(1, "b").text(2, "y").text(4, "Add");
        graph.message(1, add.message(5, integer("axis", axis)).message(5, integer("broadcast", 1)));
        return text("y");
    }

    @Test
    void takesWhatIsAddedAtTheChannelsForABias() throws IOException {
        assertThat(convolved(1)).contains("y = conv2d(x, 4, 1) as w");
    }

    @Test
    void leavesWhatIsAddedAtAnotherAxisAlone() throws IOException {
        assertThat(convolved(3)).contains("conv2d(x, 4, 1, bias = false) as w", "param b: f32[4]");
    }

    /** @param zero point, none where it is empty */
    private List<Double> quantised(int type, byte... zero) throws IOException {
        graph.message(5, OnnxText.tensor("w", OnnxText.FLOAT, OnnxText.floats(0.2f, 0.75f, 100, -100), 4));
        number("scale", 0.5f);
        if (zero.length > 0) {
            graph.message(5, OnnxText.tensor("zero", type, zero));
        }
        String place = zero.length > 0 ? "zero" : "";
        node("QuantizeLinear", "q", "w", "scale", place).node("DequantizeLinear", "d", "q", "scale", place);
        WrittenWeight weight =
                node("Add", "y", "x", "d").imported(false, "y").weights().getFirst();
        return weight.values().map(Constant::asReals).orElseThrow();
    }

    /** Times two, to the nearest even number, within 0 to 255 less what stands for 0: by hand. */
    @Test
    void quantisesWeightsWithoutAZero() throws IOException {
        assertThat(quantised(UINT8)).containsExactly(0.0, 1.0, 100.0, 0.0);
    }

    @Test
    void quantisesWeightsAroundAZero() throws IOException {
        assertThat(quantised(UINT8, (byte) 200)).containsExactly(0.0, 1.0, 27.5, -100.0);
    }

    @Test
    void quantisesWeightsToSignedNumbers() throws IOException {
        assertThat(quantised(INT8, (byte) -8)).containsExactly(0.0, 1.0, 67.5, -60.0);
    }

    @Test
    void refusesToQuantiseWhatIsComputed() {
        number("scale", 0.5f).node("Relu", "r", "x").node("QuantizeLinear", "q", "r", "scale");
        assertThatThrownBy(() -> node("DequantizeLinear", "y", "q", "scale").text("y"))
                .hasMessageContaining("import the model that was quantised");
    }
}
