package dev.remat.compiler.elaborate;

import static dev.remat.compiler.elaborate.Models.findings;
import static dev.remat.compiler.elaborate.Models.graph;
import static dev.remat.compiler.elaborate.Models.mnemonics;
import static dev.remat.compiler.elaborate.Models.wrap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.builtin.prelude.Prelude;
import dev.remat.compiler.syntax.Formatter;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreludeTest {
    @ParameterizedTest
    @ValueSource(strings = {"activations.model", "losses.model", "metrics.model", "vectors.model"})
    void filesAreFormattedAndFunctionsSaySomething(String file) throws IOException {
        try (InputStream in = Prelude.class.getResourceAsStream(file)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            // The reference writes exponents in two digits.
            assertThat(Formatter.format(new Source(file, text))).isEqualTo(text.replace("1e-0", "1e-"));
        }
        assertThat(Prelude.table(file))
                .isNotEmpty()
                .allMatch(function -> function.summary().endsWith("."))
                .noneMatch(function -> function.ownsParameters());
    }

    @Test
    void operationsBelongToTheCall() {
        Graph graph = graph("input x: f32[2, 4]\nlayer Act(x) { return hardswish(x) }\ny = Act(x)");
        assertThat(graph.nodes().subList(0, mnemonics(graph).indexOf("reduce_mean")))
                .hasSizeGreaterThan(5)
                .extracting(Node::origin)
                .allMatch(origin -> origin.location().file().equals("m.model")
                        && origin.location().line() == 4
                        && origin.location().column() == 23
                        && origin.scope().equals("act"));
        assertThat(graph.values())
                .extracting(value -> value.name())
                .doesNotContain("inner", "curve", "act.inner", "act.curve");
    }

    @Test
    void whatIsRefusedIsRefusedWhereItIsCalled() {
        assertThat(findings(wrap("input x: f32[2, 4]\ny = 2.0 * hardtanh(x, 2, 1)")))
                .containsExactly("E0306 4:11 the interval from 2.0 to 1.0 is empty");
        assertThat(findings(wrap("input x: f32[2, 4]\ny = 2.0 * hardtanh(x, 1, 2)")))
                .isEmpty();
        assertThat(findings(wrap("input x: i32[2, 4]\ny = elu(x)")))
                .containsExactly("E0301 4:5 clamp takes floating point operands, got i32[2, 4]");
    }

    @Test
    void numbersThatAreNoneAreRefused() {
        assertThat(findings(wrap("input x: f32[2, 4]\ny = softshrink(x, inf - inf)")))
                .containsExactly("E0306 4:5 'lambd' is negative: NaN");
        assertThat(findings(wrap("input x: f32[2, 4]\ny = softshrink(x, inf)"))).isEmpty();
    }

    @Test
    void modelsKnowNothingOfWhatFunctionsAreMadeOf() {
        assertThat(findings(wrap("input x: f32[2, 4]\ny = bounded(x, 0.0, 1.0)")))
                .containsExactly("E0201 4:5 unknown name 'bounded'");
        assertThat(findings(wrap("input x: f32[2, 4]\n_ = require(false, \"no\")\ny = x")))
                .containsExactly("E0201 4:5 unknown name 'require'");
    }

    @Test
    void functionsKnowNothingOfModels() {
        Graph plain = graph("input x: f32[2, 4]\ny = relu6(x)");
        Graph hiding = graph("""
            input x: f32[2, 4]
            layer where(x) { return x }
            layer bounded(x) { return x }
            y = relu6(x)
            """);
        assertThat(mnemonics(hiding)).isEqualTo(mnemonics(plain)).contains("where");
    }

    @Test
    void integersStandForNumbers() {
        assertThat(mnemonics(graph("input x: f32[2, 4]\ny = elu(x, alpha = 1)")))
                .isEqualTo(mnemonics(graph("input x: f32[2, 4]\ny = elu(x, alpha = 1.0)")))
                .isNotEqualTo(mnemonics(graph("input x: f32[2, 4]\ny = elu(x, alpha = 2)")));
    }
}
