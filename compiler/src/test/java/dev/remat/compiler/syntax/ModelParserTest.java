package dev.remat.compiler.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.ast.BinaryOperator;
import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Statement;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ModelParserTest {
    static final String GPT = """
        remat 1

        model Gpt(vocab: int = 256, width: int = 128, depth: int = 4, heads: int = 4, drop: float = 0.1) {
          symbol B, T                              // bound when a plan is made: --set B=16,T=128
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
          repeat depth { x = Block(x) }            // parameters: block.0.attention.qkv.weight …
          loss = cross_entropy(linear(layer_norm(x), vocab, weight = wte.weight, bias = false), targets)   // tied
        }

        train {
          minimize loss
          optimizer adamw(lr = 3e-4, weight_decay = 0.1, clip_norm = 1.0)
          precision f32                            // or bf16: bf16 tensors, f32 master weights and reductions
          seed 42
        }
        """;

    static Model parse(String text) {
        return ModelParser.parse(new Source("test.model", text), IncludeResolver.NONE);
    }

    private static List<Statement> statements(String body) {
        return parse("remat 1\nmodel M {\n" + body + "\n}\n")
                .definition()
                .orElseThrow()
                .body()
                .statements();
    }

    private static Expression expression(String text) {
        return ((Statement.Assign) statements("x = " + text).getFirst()).value();
    }

    @Test
    void readsTheSketchOfTheLanguage() {
        Model model = parse(GPT);
        Declaration.ModelDefinition gpt = model.definition().orElseThrow();
        assertThat(gpt.name().text()).isEqualTo("Gpt");
        assertThat(gpt.parameters()).hasSize(5);
        assertThat(gpt.body().statements()).hasSize(8);
        assertThat(gpt.body().statements().get(3)).isInstanceOf(LayerDefinition.class);
        assertThat(gpt.body().statements().get(5).location()).hasToString("test.model:19:3");
        assertThat(model.train().orElseThrow().settings().settings())
                .extracting(setting -> setting.name().text())
                .containsExactly("minimize", "optimizer", "precision", "seed");
    }

    @Test
    void bindsNamesTighterThanOperators() {
        Expression.Binary sum = (Expression.Binary) expression("f(a) as wte + g(b) as wpe");
        assertThat(sum.operator()).isEqualTo(BinaryOperator.ADD);
        assertThat(sum.left()).isInstanceOf(Expression.Named.class);
        assertThat(sum.right()).isInstanceOf(Expression.Named.class);
        assertThat(sum.location()).hasToString("test.model:3:17");
    }

    @Test
    void bindsPipesLooserThanOperatorsAndToTheLeft() {
        Expression.Pipe pipe = (Expression.Pipe) expression("a + b |> f(1)\n   |> g as h");
        assertThat(pipe.right()).isInstanceOf(Expression.Named.class);
        Expression.Pipe first = (Expression.Pipe) pipe.left();
        assertThat(first.left()).isInstanceOf(Expression.Binary.class);
    }

    @Test
    void readsPowersToTheRightAndMinusLooser() {
        Expression.Unary minus = (Expression.Unary) expression("-a ** b ** c");
        Expression.Binary power = (Expression.Binary) minus.operand();
        assertThat(power.right()).isInstanceOf(Expression.Binary.class);
        assertThat(power.left()).isInstanceOf(Expression.Name.class);
    }

    @Test
    void readsPinsAsStatementsAndInExpressions() {
        List<Statement> body = statements("""
            retain x, y
            recompute { z = f(x) }
            y = x + recompute Block(x) as b
            segments 8 {
              x = x
            }\
            """);
        assertThat(body.get(0)).isInstanceOf(Statement.Pinned.class);
        assertThat(body.get(1)).isInstanceOf(Statement.Recompute.class);
        Expression.Binary sum = (Expression.Binary) ((Statement.Assign) body.get(2)).value();
        assertThat(((Expression.Pinned) sum.right()).target()).isInstanceOf(Expression.Named.class);
        assertThat(body.get(3)).isInstanceOf(Statement.Segments.class);
    }

    @Test
    void readsMarksOfStagesAndValuesOfThatName() {
        assertThat(statements("stage\nstage = f(stage); stage\nif c { stage }"))
                .extracting(statement -> statement.getClass().getSimpleName())
                .containsExactly("Stage", "Assign", "Stage", "If");
    }

    /** So that a run goes on wherever the model is cut. */
    @Test
    void bodiesAreTheSameWithMarksOfStages() {
        String plain = "x = f(x)\nrepeat 3 { x = f(x) }\nif c { x = g(x) }";
        String marked = "x = f(x); stage\nrepeat 3 { if c { stage } else { }; x = f(x) }\nif c { stage; x = g(x) }";
        String other = "x = f(x)\nrepeat 3 { if c { } else { }; x = f(x) }\nif c { x = g(x) }";
        assertThat(bodyHash(marked)).isEqualTo(bodyHash(plain)).isNotEqualTo(bodyHash(other));
    }

    private static String bodyHash(String statements) {
        return CanonicalForm.bodyHash(parse("remat 1\nmodel M {\n" + statements + "\n}\n"));
    }

    @Test
    void endsStatementsAtLineEndsOnlyWhereTheyAreWhole() {
        assertThat(statements("a = f(\n  b,\n\n  c,\n)\nd = a +\n  b; e = [1,\n 2]\nif x\n{\n}\nelse {\n}\n"))
                .hasSize(4);
    }

    @Test
    void readsEveryKindOfParameter() {
        Model model = parse("""
            remat 1
            layer L(x, f: layer, n: [int] = [1, 2], c: [(int, float)], s: string = "a\\n\\"b\\"") { return x }
            """);
        LayerDefinition layer = (LayerDefinition) model.declarations().getFirst();
        assertThat(layer.parameters()).hasSize(5);
        assertThat(layer.parameters().get(4).fallback().orElseThrow())
                .isInstanceOfSatisfying(
                        Expression.StringLiteral.class,
                        s -> assertThat(s.value()).isEqualTo("a\n\"b\""));
    }

    @Test
    void countsColumnsInCodeUnits() {
        Expression.Call call = (Expression.Call) expression("f(\"𝜃\", b)");
        assertThat(call.arguments().get(1).value().location().column()).isEqualTo(13);
    }

    @Test
    @Tag("slow")
    void readsAHundredThousandLines() {
        StringBuilder text = new StringBuilder("remat 1\nmodel M {\n");
        for (int i = 0; i < 100_000; i++) {
            text.append("x=f(x,").append(i % 10).append(")\n");
        }
        Model model = parse(text.append("}\n").toString());
        assertThat(model.definition().orElseThrow().body().statements()).hasSize(100_000);
        assertThat(CanonicalForm.of(model).lines()).hasSize(100_004);
    }

    @Test
    void staysWithinASmallStackAtTheDeepestNesting() throws InterruptedException {
        String deep = "x = " + "(".repeat(198) + "a" + ")".repeat(198);
        String wide = "x = " + "a + ".repeat(249) + "a";
        String chain = "x = a" + " |> f".repeat(249);
        String unary = "x = " + "not ".repeat(249) + "a";
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(
                null,
                () -> {
                    for (String body : List.of(deep, wide, chain, unary)) {
                        Formatter.format(new Source("a.model", "remat 1\nmodel M {\n" + body + "\n}\n"));
                    }
                },
                "small stack",
                1 << 20);
        thread.setUncaughtExceptionHandler((t, e) -> thrown[0] = e);
        thread.start();
        thread.join();
        assertThat(thrown[0]).isNull();
    }

    @Test
    void refusesHostileNestingBeforeParsing() {
        for (String body : List.of(
                "x = " + "(".repeat(500_000),
                "x = " + "-".repeat(500_000) + "a",
                "x = " + "a.".repeat(200_000) + "a",
                "x = f" + "(1)".repeat(200_000),
                "if a {".repeat(100_000))) {
            assertThatThrownBy(() -> parse("remat 1\nmodel M {\n" + body + "\n}\n"))
                    .isInstanceOfSatisfying(
                            ModelException.class,
                            e -> assertThat(e.diagnostics())
                                    .anyMatch(finding -> finding.code().equals("E0107")));
        }
    }

    @Test
    void reportsSeveralErrorsInOneRunAndAtMostTwenty() {
        assertThatThrownBy(() -> parse("remat 1\nmodel M {\n" + "x = = 1\n".repeat(30) + "}\n"))
                .isInstanceOfSatisfying(
                        ModelException.class, e -> assertThat(e.diagnostics()).hasSize(20));
    }

    private static Expression value(String text) {
        return ModelParser.parseValue(new Source("--set", text));
    }

    @Test
    void aValueStandsAlone() {
        assertThat(value("0.1")).isInstanceOf(Expression.FloatLiteral.class);
        assertThat(value("[1, 2]")).isInstanceOf(Expression.ListLiteral.class);
        assertThat(value("1, 2")).isInstanceOf(Expression.TupleLiteral.class);
        assertThat(value("\n1 +\n 2;\n")).isInstanceOf(Expression.Binary.class);
        assertThat(value("if a then 1 else 2")).isInstanceOf(Expression.Conditional.class);
        assertThat(value("-x").location().line()).isEqualTo(1);
    }

    @Test
    void whatIsNoValueOrMoreThanOneIsRefused() {
        for (String text : List.of(
                "",
                " ",
                "\n",
                "1 2",
                "1; 2",
                "1; y = 2",
                "y = 2",
                "3 }",
                "{",
                "(1",
                "1)",
                "1 +",
                "\"a",
                "\"\\q\"",
                "$",
                "99999999999999999999999",
                "return 1",
                "repeat 2 {}",
                "remat 1",
                "(".repeat(300))) {
            assertThatThrownBy(() -> value(text)).as(text).isInstanceOf(ModelException.class);
        }
    }
}
