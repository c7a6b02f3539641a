package dev.remat.compiler.elaborate;

import static dev.remat.compiler.elaborate.Models.elaborate;
import static dev.remat.compiler.elaborate.Models.findings;
import static dev.remat.compiler.elaborate.Models.parameters;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

class HyperParametersTest {
    private static final String MODEL = """
        remat 1
        model M(
          width: int = 8,
          drop: float = 0.1,
          bias = true,
          name: string = "plain",
          sizes: [int] = [4, 5],
          pairs: [(int, int)] = [(1, 2)],
          norm: layer = layer_norm,
          rate = 0.5,
        ) {
          symbol B
          input x: f32[B, 3]
          for n in sizes { x = linear(x, n, bias = bias) }
          x = norm(linear(x, width) as last)
          x = if name == "plain" then x else linear(x, pairs[0][1]) as extra
          loss = mean(dropout(x, drop)) * rate
        }
        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    private static List<String> weights(String... settings) {
        return parameters(elaborate(MODEL, settings).forward()).stream()
                .filter(name -> name.contains("weight"))
                .toList();
    }

    @Test
    void takesDefaultsWhereNothingIsSet() {
        assertThat(weights())
                .containsExactly(
                        "linear.0.weight f32[4, 3]",
                        "linear.1.weight f32[5, 4]",
                        "last.weight f32[8, 5]",
                        "norm.weight f32[8]");
    }

    @Test
    void takesWhatIsSetForEveryType() {
        assertThat(weights("sizes=[2, 2, 2],width=6", "name=other", "pairs=[(3, 7)],bias=false", "norm=rms_norm"))
                .containsExactly(
                        "linear.0.weight f32[2, 3]",
                        "linear.1.weight f32[2, 2]",
                        "linear.2.weight f32[2, 2]",
                        "last.weight f32[6, 2]",
                        "norm.weight f32[6]",
                        "extra.weight f32[7, 6]");
    }

    @Test
    void refusesUnknownNamesAndWrongValues() {
        assertThat(findings(MODEL, "widht=3"))
                .containsExactly("E0205 1:1 the model has no symbol or hyper-parameter 'widht'");
        assertThat(findings(MODEL, "width=0.5")).containsExactly("E0302 1:1 'width' is an integer, not a number");
        assertThat(findings(MODEL, "bias=3")).containsExactly("E0302 1:1 'bias' is a bool, not an integer");
        assertThat(findings(MODEL, "B=0")).containsExactly("E0205 1:1 symbol 'B' is a positive integer, not 0");
        assertThat(findings(MODEL, "B=x")).containsExactly("E0205 1:1 symbol 'B' is a positive integer, not x");
        assertThat(findings(MODEL, "B=99999999999999999999"))
                .containsExactly("E0205 1:1 the extent of symbol 'B' is too large: 99999999999999999999");
        assertThat(findings(MODEL, "width=x"))
                .containsExactly("E0205 1:1 'x' is no value for 'width': unknown name 'x'");
        assertThat(findings(MODEL, "width=3 }")).containsExactly("E0205 1:1 '3 }' is no value for 'width'");
        assertThat(findings(MODEL, "width=1; y = 2")).containsExactly("E0205 1:1 '1; y = 2' is no value for 'width'");
        assertThat(findings(MODEL, "sizes=[1, true]")).hasSize(1);
        assertThat(findings(MODEL, "rate=1")).isEmpty();
    }

    @Test
    void refusesWhatIsNoSetting() {
        for (String setting : List.of("width", "=3", "width=", "3=4", "", "width=1,width=2", "width=1, width=1")) {
            assertThatThrownBy(() -> Bindings.parse(List.of(setting)))
                    .isInstanceOfSatisfying(
                            ModelException.class,
                            e -> assertThat(e.diagnostics().getFirst().code()).isEqualTo("E0205"));
        }
    }

    @Test
    void splitsSettingsAtCommasOutsideOfBrackets() {
        assertThat(Bindings.parse(List.of("a=[1, 2],b=(3,4)", "a=5")).values())
                .containsExactly(entry("a", "5"), entry("b", "(3,4)"));
    }

    @Test
    void saysWhatIsSetTwice() {
        assertThatThrownBy(() -> Bindings.parse(List.of("a=1,b=2,a=3")))
                .isInstanceOfSatisfying(
                        ModelException.class,
                        e -> assertThat(e.diagnostics().getFirst().message())
                                .isEqualTo("'a' is set twice, to 1 and to 3"));
    }

    /** The model as it was, from the texts of its identity alone. */
    private static ElaboratedModel again(String model, Map<String, String> texts, String... settings) {
        return Elaborator.elaborate(
                ModelParser.parse(new Source("m.model", model), IncludeResolver.NONE),
                Bindings.parse(List.of(settings)).after(new LinkedHashMap<>(texts)));
    }

    @Test
    void valuesCanBeReadBack() {
        String[] settings = {
            "B=4,sizes=[2, 2, 2],width=6,drop=1e-5,rate=2",
            "name=\"one other\"",
            "pairs=[(3, 7), (4, -5)],bias=false",
            "norm=group_norm(_, 2)"
        };
        ElaboratedModel trained = elaborate(MODEL, settings);
        SortedMap<String, String> texts = trained.identity().hyperParameters();
        assertThat(texts).hasSize(8);
        assertThat(again(MODEL, texts, "B=4").hash()).isEqualTo(trained.hash());
        assertThat(elaborate(MODEL, "B=4").hash()).isNotEqualTo(trained.hash());
        for (int lacking = 0; lacking < settings.length; lacking++) {
            List<String> fewer = new ArrayList<>(List.of(settings));
            fewer.remove(lacking);
            assertThat(elaborate(MODEL, fewer.toArray(String[]::new)).identity().hyperParameters())
                    .as(settings[lacking])
                    .isNotEqualTo(texts);
        }
    }

    @Test
    void whatIsSetCountsMoreThanWhatWas() {
        Map<String, String> texts = Map.of("width", "6", "B", "4", "gone", "1");
        assertThat(again(MODEL, texts).extents()).containsExactly(entry("B", 4L));
        assertThat(again(MODEL, texts, "B=5").extents()).containsExactly(entry("B", 5L));
        assertThat(again(MODEL, texts).identity().hyperParameters()).containsEntry("width", "6");
        assertThat(again(MODEL, texts, "width=7").identity().hyperParameters()).containsEntry("width", "7");
    }

    @Test
    void whatCannotBeReadBackMustBeSetAgain() {
        String model = "remat 1\nmodel M(init = normal(0.02)) { input x: f32[2]; param w: f32[2] = init;"
                + " loss = mean(x * w) }\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
        Map<String, String> usual = elaborate(model).identity().hyperParameters();
        Map<String, String> other =
                elaborate(model, "init=normal(0.5)").identity().hyperParameters();
        assertThat(again(model, usual).identity().hyperParameters()).isEqualTo(usual);
        assertThatThrownBy(() -> again(model, other))
                .isInstanceOfSatisfying(
                        ModelException.class,
                        e -> assertThat(e.diagnostics().getFirst().message())
                                .startsWith("the model was trained with '")
                                .endsWith("for 'init', which cannot be read back"));
        assertThat(again(model, other, "init=normal(0.5)").identity().hyperParameters())
                .isEqualTo(other);
    }
}
