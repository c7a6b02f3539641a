package dev.remat.compiler.elaborate;

import static dev.remat.compiler.elaborate.Models.elaborate;
import static dev.remat.compiler.elaborate.Models.graph;
import static dev.remat.compiler.elaborate.Models.inputs;
import static dev.remat.compiler.elaborate.Models.mnemonics;
import static dev.remat.compiler.elaborate.Models.parameters;
import static dev.remat.compiler.elaborate.Models.type;
import static dev.remat.compiler.elaborate.Models.wrap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.TestModels;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.syntax.CanonicalForm;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.GradientClip;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.compiler.training.UpdateRule;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.List;
import org.junit.jupiter.api.Test;

class ElaboratorTest {
    private static final String GPT = """
        remat 1
        model Gpt(vocab: int = 256, width: int = 128, depth: int = 4, heads: int = 4,
                  context: int = 1024, drop: float = 0.1) {
          symbol B, T
          input tokens : i32[B, T]
          input targets: i32[B, T]
          layer Attention(x) {
            q, k, v = split(linear(x, 3 * width) as qkv, 3, axis = -1)
            a = attention(split_heads(q, heads), split_heads(k, heads), split_heads(v, heads), causal = true)
            return dropout(linear(merge_heads(a), width) as proj, drop)
          }
          layer Block(x) {
            x = x + Attention(layer_norm(x))
            h = layer_norm(x) |> linear(4 * width) |> gelu
            return x + dropout(linear(h, width) as down, drop)
          }
          x = embedding(tokens, vocab, width) as wte + positions(T, width, max = context) as wpe
          repeat depth { x = Block(x) }
          loss = cross_entropy(linear(layer_norm(x), vocab, weight = wte.weight, bias = false), targets)
        }
        train {
          minimize loss
          optimizer adamw(lr = 3e-4, weight_decay = 0.1, clip_norm = 1.0)
          precision f32
          seed 42
        }
        """;

    @Test
    void pathsNameParametersAsOtherFrameworksDo() {
        Graph graph = graph("""
            input x: f32[2, 4]
            layer Output(x) { return linear(x, 4) as dense }
            layer Layer(x) { return Output(x) as "output" }
            repeat 2 { x = Layer(x) as "encoder.layer" }
            x = linear(x, 4) as "0"
            x = linear(x, 4) as "features.3"
            repeat 1 { x = linear(x, 4) as "features.4" }
            shared = Layer as "a.0.layer"
            x = linear(shared(shared(x)), 4, weight = features[3].weight, bias = false) as head
            y = linear(x, 4, weight = features[3].weight, bias = false)\
            """);
        assertThat(graph.inputs().stream()
                        .filter(input -> input.kind() == InputKind.PARAMETER)
                        .map(input -> graph.value(input.value()).name())
                        .filter(name -> name.endsWith("weight")))
                .containsExactly(
                        "encoder.layer.0.output.dense.weight",
                        "encoder.layer.1.output.dense.weight",
                        "0.weight",
                        "features.3.weight",
                        "features.4.0.weight",
                        "a.0.layer.output.dense.weight");
    }

    @Test
    void buffersAreKeptAndNotTrained() {
        Graph graph = graph("""
            input x: f32[2, 4]
            buffer places: i64[1, 2]
            buffer scale: f32[4] = ones
            layer Table(x) {
              buffer rows: bool[4]
              return where(rows, x, 0)
            }
            buffer = linear(x, 4)
            y = Table(buffer * scale) + cast(places[0, :, none], f32)\
            """);
        assertThat(inputs(graph, InputKind.STATE))
                .containsExactly("places i64[1, 2]", "scale f32[4]", "table.rows bool[4]");
        assertThat(inputs(graph, InputKind.PARAMETER)).containsExactly("linear.weight f32[4, 4]", "linear.bias f32[4]");
    }

    @Test
    void aFileWithoutTrainIsThereToBeEvaluated() {
        Model model = ModelParser.parse(
                new Source("m", "remat 1\nmodel M {\ninput x: f32[4]\ny = relu(x)\noutput y\n}"), IncludeResolver.NONE);
        ElaboratedModel evaluated = Elaborator.elaborate(model, Bindings.NONE, Purpose.EVALUATE);
        assertThat(evaluated.forward().outputs()).extracting(GraphOutput::name).containsExactly("y");
        assertThat(evaluated.training()).isEqualTo(TrainingSpec.NONE);
        assertThatThrownBy(() -> Elaborator.elaborate(model, Bindings.NONE, Purpose.TRAIN))
                .hasMessageContaining("E0402");
    }

    @Test
    void elaboratesTheSketchOfTheLanguage() {
        ElaboratedModel model = elaborate(GPT, "depth=2,heads=2,width=8");
        assertThat(parameters(model.forward()))
                .contains(
                        "wte.weight f32[256, 8]",
                        "wpe.weight f32[1024, 8]",
                        "block.0.layer_norm.0.weight f32[8]",
                        "block.0.layer_norm.1.bias f32[8]",
                        "block.1.attention.qkv.weight f32[24, 8]",
                        "block.1.attention.qkv.bias f32[24]",
                        "block.1.attention.proj.weight f32[8, 8]",
                        "block.1.linear.weight f32[32, 8]",
                        "block.1.down.weight f32[8, 32]",
                        "layer_norm.weight f32[8]");
        assertThat(parameters(model.forward())).hasSize(2 + 2 * 12 + 2);
        assertThat(type(model.forward(), "block.1.x")).isEqualTo("f32[B, T, 8]");
        assertThat(type(model.forward(), "block.1")).isEqualTo("f32[B, T, 8]");
        assertThat(model.forward().type(model.forward().output("loss"))).isEqualTo(TensorType.scalar(DType.F32));
        assertThat(model.symbols()).containsExactly("B", "T");
        assertThat(model.training().seed()).isEqualTo(42);
        assertThat(model.training().objectives().getFirst().clip().map(GradientClip::norm))
                .contains(1.0);
        assertThat(rule(model).schedule()).isEqualTo(new LearningRateSchedule.Constant(3e-4));
        assertThat(rule(model).optimizer()).isEqualTo(TestModels.optimizer("adamw(lr = 3e-4, weight_decay = 0.1)"));
    }

    @Test
    void countsTheParametersOfGpt2() {
        Graph graph = elaborate(GPT, "depth=12,width=768,heads=12,vocab=50257").forward();
        long count = graph.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .mapToLong(input -> graph.type(input.value()).elements())
                .sum();
        assertThat(count).isEqualTo(124_439_808);
    }

    @Test
    void leavesDropoutOutOfEvaluationAndChainsItInTraining() {
        assertThat(mnemonics(elaborate(GPT).forward()).stream().filter("dropout"::equals))
                .hasSize(8);
        assertThat(mnemonics(elaborate(GPT).forward())).containsOnlyOnce("step_seed");
        Graph evaluation = Elaborator.elaborate(
                        dev.remat.compiler.syntax.ModelParser.parse(
                                new dev.remat.ir.diagnostic.Source("m.model", GPT),
                                dev.remat.compiler.syntax.IncludeResolver.NONE),
                        Bindings.NONE,
                        Purpose.EVALUATE)
                .forward();
        assertThat(mnemonics(evaluation)).doesNotContain("dropout", "step_seed");
    }

    @Test
    void bindsSymbolsFromTheStart() {
        Graph graph = elaborate(GPT, "B=2", "T=16").forward();
        assertThat(graph.values()).allMatch(value -> value.type().shape().isStatic());
        assertThat(type(graph, "tokens")).isEqualTo("i32[2, 16]");
    }

    @Test
    void numbersCallsThatRepeatAndLeavesOthersAlone() {
        Graph graph = graph("""
            input x: f32[2, 4]
            a = linear(x, 4)
            b = linear(a, 4)
            c = linear(b, 4) as head
            repeat 1 { c = linear(c, 4) as deep }
            y = layer_norm(c)
            """);
        assertThat(parameters(graph))
                .filteredOn(name -> name.contains("weight"))
                .containsExactly(
                        "linear.0.weight f32[4, 4]",
                        "linear.1.weight f32[4, 4]",
                        "head.weight f32[4, 4]",
                        "deep.0.weight f32[4, 4]",
                        "layer_norm.weight f32[4]");
    }

    /** As other names do; calls of the builtin itself do not count for a layer that differs from it by a capital. */
    @Test
    void numbersCallsOfANameThatHidesABuiltin() {
        Graph graph = graph("""
            input x: f32[2, 4]
            let norm = layer_norm(_, bias = false)
            let relu = linear(_, 4, bias = false)
            layer Tanh(x) { return linear(x, 4, bias = false) }
            a = relu(x)
            repeat 2 { a = norm(a) }
            y = tanh(tanh(Tanh(a)))
            """);
        assertThat(parameters(graph))
                .containsExactly(
                        "relu.weight f32[4, 4]",
                        "norm.0.weight f32[4]",
                        "norm.1.weight f32[4]",
                        "tanh.linear.weight f32[4, 4]");
    }

    @Test
    void passesLayersOnAndFillsOpenArguments() {
        Graph graph = graph("""
            input x: f32[2, 4]
            layer Residual(x, f: layer) { return x + f(x) }
            layer Twice(x, f) { return x |> f |> f }
            a = Residual(x, linear(_, 4))
            b = Residual(a, relu)
            c = Twice(b, Residual(_, linear(_, 4, bias = false)))
            y = c |> matmul(x, _, transpose_b = true)
            """);
        assertThat(parameters(graph))
                .containsExactly(
                        "residual.0.f.weight f32[4, 4]",
                        "residual.0.f.bias f32[4]",
                        "twice.f.0.f.weight f32[4, 4]",
                        "twice.f.1.f.weight f32[4, 4]");
        assertThat(type(graph, "y")).isEqualTo("f32[2, 2]");
    }

    @Test
    void sharesTheParametersOfANamedLayer() {
        Graph graph = graph("""
            input x: f32[3, 4]
            h = zeros([3, 4]), zeros([3, 4])
            cell = lstm_cell(_, _, _, 4) as cell
            a, c = h
            repeat 3 { a, c = cell(x, a, c) }
            layer Mlp(x) { return x |> linear(8) |> relu |> linear(4) }
            mlp = Mlp as mlp
            y = mlp(mlp(a)) * mean(mlp.linear[1].weight)
            """);
        assertThat(parameters(graph))
                .containsExactly(
                        "cell.weight_ih f32[16, 4]",
                        "cell.bias_ih f32[16]",
                        "cell.weight_hh f32[16, 4]",
                        "cell.bias_hh f32[16]",
                        "mlp.linear.0.weight f32[8, 4]",
                        "mlp.linear.0.bias f32[8]",
                        "mlp.linear.1.weight f32[4, 8]",
                        "mlp.linear.1.bias f32[4]");
    }

    @Test
    void tiesWeightsByName() {
        Graph graph = graph("""
            symbol B
            input x: f32[B, 4]
            repeat 2 { x = linear(x, 4) }
            y = linear(x, 4, weight = linear[0].weight, bias = false)
            """);
        assertThat(parameters(graph)).hasSize(4);
    }

    @Test
    void evaluatesHyperParametersExactly() {
        Graph graph = graph("""
            symbol B
            let width, half = 12, 12 / 4 + floordiv(7, 2) - 7 % 4
            let big = if half == 3 and not (width < 10 or false) then 2 ** 5 else 0
            input x: f32[B, big]
            for (n, s) in [(8, true), (half, false)] {
              if s { x = linear(x, n) } else if n == 3 { x = linear(x, n * 2) } else { x = relu(x) }
            }
            for i in range(2) { x = linear(x, 5 + i) }
            y = reshape(x, [B / 1 * 3, -1])
            """);
        assertThat(type(graph, "y")).isEqualTo("f32[3*B, 2]");
        assertThat(parameters(graph)).contains("linear.1.weight f32[6, 8]", "linear.3.weight f32[6, 5]");
    }

    @Test
    void pinsValuesAndRegionsWithoutChangingAnyName() {
        String plain = """
            input x: f32[2, 4]
            repeat 2 { x = dropout(linear(x, 4), 0.5) }
            y = relu(x)
            """;
        String pinned = """
            input x: f32[2, 4]
            segments 2 { repeat 2 { x = retain dropout(recompute linear(x, 4), 0.5) } }
            y = relu(x)
            retain y
            """;
        Graph a = graph(plain);
        Graph b = graph(pinned);
        assertThat(a.nodes().stream().map(Node::op).toList())
                .isEqualTo(b.nodes().stream().map(Node::op).toList());
        assertThat(a.values())
                .extracting(Value::name)
                .isEqualTo(b.values().stream().map(Value::name).toList());
        assertThat(b.values().stream().filter(value -> value.pin().isPresent()).map(Value::name))
                .containsExactly("x.2", "x.3", "y");
        assertThat(b.nodes().stream().filter(node -> node.op().mnemonic().equals("matmul")))
                .allMatch(node -> node.origin()
                                .region()
                                .orElseThrow()
                                .parent()
                                .orElseThrow()
                                .segments()
                        == 2);
        assertThat(a.nodes()).allMatch(node -> node.origin().region().isEmpty());
    }

    @Test
    void expandsThousandsOfBlocksWithoutRecursion() {
        String deep = wrap("""
            input x: f32[2, 4]
            layer Block(x) { return x + linear(relu(layer_norm(x)), 4) }
            repeat 3000 { x = Block(x) }
            y = x
            """);
        assertThat(elaborate(deep).forward().nodes()).hasSizeGreaterThan(18_000);
    }

    @Test
    void readsTheTrainBlockWithTheNamesOfTheModel() {
        ElaboratedModel model = elaborate("""
            remat 1
            model M(rate: float = 0.5, steps = 100) {
              input x: f32[4]
              param w: f32[4] = normal(std = 0.02)
              y = x * w
              output y
            }
            train {
              minimize mean(y ** 2)
              optimizer sgd(lr = rate, momentum = 0.9, nesterov = true)
              schedule cosine(steps, warmup = 10)
              precision bf16
            }
            """, "rate=1", "steps=50");
        assertThat(rule(model).schedule()).isEqualTo(new LearningRateSchedule.Cosine(1.0, 10, 50, 0));
        assertThat(rule(model).optimizer())
                .isEqualTo(TestModels.optimizer("sgd(lr = 1.0, momentum = 0.9, nesterov = true)"));
        assertThat(model.training().precision()).isEqualTo(DType.BF16);
        assertThat(model.forward().outputs())
                .extracting(output -> output.name())
                .isEqualTo(List.of("y", "loss"));
    }

    @Test
    void hashesTheHyperParametersToo() {
        assertThat(elaborate(GPT, "depth=2").hash()).isNotEqualTo(elaborate(GPT).hash());
        assertThat(elaborate(GPT, "depth=4").hash())
                .isEqualTo(elaborate(GPT, "B=3").hash());
    }

    /** Checkpoints are found again by the hash, so it may not follow the names of classes. */
    @Test
    void theHashKnowsHyperParametersByTextsOfTheirOwn() {
        String text = """
            remat 1
            model M(width: int = 3, rate = 0.5, on = true, sizes = [1, 2], act = relu) {
              input x: f32[2, 4]
              loss = mean(x)
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """;
        Model model = ModelParser.parse(new Source("m", text), IncludeResolver.NONE);
        List<String> values = List.of(
                "width=Int[value=3]",
                "rate=Real[value=0.5]",
                "on=Flag[value=true]",
                "sizes=Items[elements=[Int[value=1], Int[value=2]], isTuple=false]",
                "act=relu");
        assertThat(Elaborator.elaborate(model, Bindings.NONE).hash()).isEqualTo(CanonicalForm.hash(model, values));
    }

    private static UpdateRule rule(ElaboratedModel model) {
        return model.training().objectives().getFirst().otherwise();
    }
}
