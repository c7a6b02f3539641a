package dev.remat.compiler.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ChooseOutputs;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OnnxExportTest {
    private static final String LAYERS = """
        remat 1

        model Layers {
          symbol B, T
          input x: f32[B, T, 8]
          input targets: i32[B, T]

          layer Attention(x) {
            q, k, v = split(linear(x, 24) as qkv, 3, axis = -1)
            return merge_heads(attention(split_heads(q, 2), split_heads(k, 2), split_heads(v, 2), causal = true))
          }
          layer Block(x) {
            return x + Attention(NORM(x) as norm) as attention
          }
          repeat 2 {
            x = Block(x)
          }
          y = ACTIVATION(linear(x, 5) as head)
          loss = cross_entropy(y, targets)
        }

        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    private static ElaboratedModel elaborate(String text) {
        ModelText source = ModelText.of(new Source("layers.model", text), IncludeResolver.NONE);
        return ModelSession.of(source, ModelSettings.NONE).open(Purpose.EVALUATE);
    }

    private static ReadModel export(String text, int opset, String... outputs) throws IOException {
        ElaboratedModel model = ChooseOutputs.run(elaborate(text), List.of(outputs), "--outputs");
        OnnxExport export = new OnnxExport(model.forward(), new OnnxOpset(opset), List.of());
        List<OnnxWeight> weights = new ArrayList<>();
        export.weights().forEach((name, type) -> {
            List<Long> shape = Arrays.stream(type.shape().toArray()).boxed().toList();
            weights.add(new OnnxWeight(name, type.dtype(), shape, new OnnxWeight.Outside("w.safetensors", 128)));
        });
        return ReadModel.of(export.run(weights, WeightUse::whole, "1.0"));
    }

    private static String layers(String norm, String activation) {
        return LAYERS.replace("NORM", norm).replace("ACTIVATION", activation);
    }

    @ParameterizedTest
    @CsvSource({"17, 8", "18, 8", "20, 9", "21, 10", "23, 11", "24, 12"})
    void saysItsVersions(int opset, int ir) throws IOException {
        ReadModel model = export(layers("layer_norm", "gelu"), opset);
        assertThat(model.number(1)).isEqualTo(ir);
        assertThat(model.text(2)).isEqualTo("remat");
        assertThat(model.text(3)).isEqualTo("1.0");
        assertThat(model.message(8).number(2)).isEqualTo(opset);
    }

    /** An operator where the opset has it, else its formula. */
    @Test
    void usesTheOperatorsOfTheOpset() throws IOException {
        assertThat(export(layers("layer_norm", "gelu"), 18).graph().operators())
                .contains("LayerNormalization", "Erf", "Softmax")
                .doesNotContain("Gelu", "Attention", "Sqrt");
        assertThat(export(layers("layer_norm", "gelu"), 20).graph().operators())
                .contains("LayerNormalization", "Gelu", "Softmax")
                .doesNotContain("Erf", "Attention");
        assertThat(export(layers("rms_norm", "silu"), 20).graph().operators())
                .contains("Sqrt", "Sigmoid")
                .doesNotContain("RMSNormalization", "Swish");
        assertThat(export(layers("rms_norm", "silu"), 23).graph().operators())
                .contains("RMSNormalization", "Sigmoid", "Attention")
                .doesNotContain("Sqrt", "Softmax", "Swish");
        assertThat(export(layers("rms_norm", "silu"), 24).graph().operators())
                .contains("Swish")
                .doesNotContain("Sigmoid");
    }

    @Test
    void leavesOutWhatTheOutputsDoNotDependOn() throws IOException {
        ReadModel graph = export(layers("layer_norm", "gelu"), 18).graph();
        assertThat(graph.names(11, 1)).containsExactly("x");
        assertThat(graph.names(12, 1)).containsExactly("logits");
        assertThat(graph.operators()).doesNotContain("LogSoftmax");
        ReadModel loss =
                export(layers("layer_norm", "gelu"), 18, "loss", "y", "loss").graph();
        assertThat(loss.names(11, 1)).containsExactly("x", "targets");
        assertThat(loss.names(12, 1)).containsExactly("loss", "y");
    }

    @Test
    void namesNodesByLayerAndTensorsAsTheModelDoes() throws IOException {
        ReadModel graph = export(layers("layer_norm", "gelu"), 23).graph();
        assertThat(graph.nodes())
                .contains(
                        "/block.1/Add",
                        "/block.0/attention/Attention",
                        "/block.1/attention/qkv/MatMul",
                        "/block.1/norm/LayerNormalization",
                        "/head/MatMul")
                .doesNotHaveDuplicates();
        assertThat(graph.names(5, 8)).contains("block.0.attention.qkv.weight", "head.bias", "block.1.norm.weight");
        ReadModel node = graph.messages(1).stream()
                .filter(each -> each.text(3).equals("/block.1/attention/qkv/MatMul"))
                .findFirst()
                .orElseThrow();
        assertThat(node.message(9).texts(1)).containsExactly("pkg.torch.onnx.name_scopes");
        assertThat(node.message(9).texts(2))
                .containsExactly("['', 'block.1', 'block.1.attention', 'block.1.attention.qkv', 'MatMul']");
    }

    /** A layer without weights does not come back from a file, so its name is not in one. */
    @Test
    void namesNodesByLayersThatHaveWeights() throws IOException {
        String text = """
            remat 1

            model Nested {
              symbol B
              input x: f32[B, 8]
              layer Half(h) {
                return h * 0.5
              }
              layer Inner(x) {
                return linear(gelu(linear(x, 16) as up), 8) as down
              }
              layer Block(x) {
                param gain: f32[8] = ones
                return x + (HALF) * gain
              }
              repeat 2 {
                x = Block(x)
              }
              y = relu(rms_norm(x) as norm)
              output y
            }
            """;
        String inner = "Inner(layer_norm(x) as norm) as inner";
        List<String> nodes = export(text.replace("HALF", "Half(" + inner + ") as half"), 20)
                .graph()
                .nodes();
        assertThat(nodes)
                .contains(
                        "/block.0/norm/LayerNormalization",
                        "/block.0/inner/up/Gemm",
                        "/block.0/inner/Gelu",
                        "/block.0/inner/down/Add",
                        "/block.0/inner/Mul",
                        "/block.0/Mul",
                        "/block.0/Add",
                        "/block.1/Add",
                        "/norm/Sqrt",
                        "/Relu")
                .noneMatch(name -> name.contains("half"));
        assertThat(export(text.replace("HALF", "(" + inner + ") * 0.5"), 20)
                        .graph()
                        .nodes())
                .isEqualTo(nodes);
    }

    @Test
    void symbolsAreNamedDimensions() throws IOException {
        ReadModel input = export(layers("layer_norm", "gelu"), 18).graph().message(11);
        List<ReadModel> dims = input.message(2).message(1).message(2).messages(1);
        assertThat(dims.get(0).text(2)).isEqualTo("B");
        assertThat(dims.get(1).text(2)).isEqualTo("T");
        assertThat(dims.get(2).number(1)).isEqualTo(8);
    }

    @Test
    void weightsMayLieInAFileBeside() throws IOException {
        ReadModel weight = export(layers("layer_norm", "gelu"), 18).graph().messages(5).stream()
                .filter(each -> each.text(8).equals("head.weight"))
                .findFirst()
                .orElseThrow();
        assertThat(weight.number(14)).isEqualTo(1);
        assertThat(weight.messages(13))
                .extracting(each -> each.text(1) + "=" + each.text(2))
                .containsExactly("location=w.safetensors", "offset=128", "length=160");
    }

    /** What only repeats is left to the operators that read it. */
    @Test
    void aBiasIsNotExpanded() throws IOException {
        assertThat(export(layers("layer_norm", "gelu"), 18).graph().operators()).doesNotContain("Expand");
    }

    /** One that an output is must have its own shape. */
    @Test
    void anOutputIsExpanded() throws IOException {
        String text = """
            remat 1

            model Repeated {
              symbol B
              input x: f32[B, 4]
              y = broadcast(x[0 : 1], [3, 4]) + zeros([3, 4])
              output y, x
            }
            """;
        ReadModel graph = export(text, 18).graph();
        assertThat(graph.operators()).contains("Expand", "Identity");
        assertThat(graph.names(12, 1)).containsExactly("y", "x");
    }
}
