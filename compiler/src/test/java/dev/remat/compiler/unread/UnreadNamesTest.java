package dev.remat.compiler.unread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Each kind of name beside one of the same kind that something reads, perhaps far away. */
class UnreadNamesTest {
    private static List<String> warnings(String text, IncludeResolver includes) {
        return UnreadNames.of(ModelParser.parse(new Source("m.model", "remat 1\n" + text), includes)).stream()
                .map(warning ->
                        warning.location().line() + ":" + warning.location().column() + " " + warning.message())
                .toList();
    }

    private static List<String> inModel(String body) {
        return warnings("model M {\n" + body + "\n}\ntrain { minimize loss }\n", IncludeResolver.NONE);
    }

    @Test
    void eachKindIsFound() {
        assertThat(warnings("model M(n: int = 1) {\n}\n", IncludeResolver.NONE))
                .containsExactly("2:9 nothing reads the hyper-parameter 'n'");
        assertThat(warnings("model M(n: int = 1, m: int = n) {\nx = m\n}\n", IncludeResolver.NONE))
                .isEmpty();
        assertThat(inModel("symbol B, T")).hasSize(2).contains("3:11 nothing reads the symbol 'T'");
        assertThat(inModel("symbol B, T\ninput _x: f32[B, 2 * T]")).isEmpty();
        assertThat(inModel("input x: f32[2]")).containsExactly("3:7 nothing reads the input 'x'");
        assertThat(inModel("input x: f32[2]\noutput x")).isEmpty();
        assertThat(inModel("param w: f32[2] = zeros")).containsExactly("3:7 nothing reads the parameter 'w'");
        assertThat(inModel("param w: f32[2] = zeros\nretain w")).isEmpty();
        assertThat(inModel("let a, b = (1, 2)\nx = b")).containsExactly("3:5 nothing reads the name 'a'");
        assertThat(inModel("let a, _ = (1, 2)\nx = a")).isEmpty();
        assertThat(inModel("layer F(x) { return x }")).containsExactly("3:7 nothing reads the layer 'F'");
        assertThat(inModel("layer F(x) { return x }\ny = [F]")).isEmpty();
        assertThat(inModel("input loss: f32[]")).isEmpty();
    }

    @Test
    void aLayerThatOnlyItselfReadsIsUnread() {
        assertThat(inModel("layer F(x) { return F(x) }")).containsExactly("3:7 nothing reads the layer 'F'");
        assertThat(inModel("layer F(x) { return x }\nlayer _G(x) { return F(x) }"))
                .isEmpty();
    }

    @Test
    void aNameOfAnotherBodyDoesNotReadIt() {
        assertThat(inModel("let n = 1\nlayer _F(x, n) { return x * n }"))
                .containsExactly("3:5 nothing reads the name 'n'");
        assertThat(inModel("let n = 1\nlayer _F(x, m) { return x * n }")).isEmpty();
        // Whether the layer's own 'n' is bound by then depends on 'm'.
        assertThat(inModel("let n = 1\nlayer _F(x, m) { if m { n = 2 }; return x * n }"))
                .isEmpty();
        assertThat(inModel("let n = 1\nlayer _F(x, m) { n = 2; return x * n }")).hasSize(1);
        // An argument's name is the callee's.
        assertThat(inModel("let n = 1\nx = f(n = 2)")).hasSize(1);
    }

    @Test
    void aBranchThatIsNotTakenReads() {
        assertThat(inModel("let n = 1\nif false { x = n }")).isEmpty();
        assertThat(inModel("let n = 1\nx = if true then 1 else n")).isEmpty();
        assertThat(inModel("let n = 1\nrepeat 0 { x = n }")).isEmpty();
        assertThat(inModel("if false { let n = 1 }")).hasSize(1);
    }

    @Test
    void parametersAreReadThroughTheirLayerAndByPatterns() {
        String layer = "layer _F(x) { param scale: f32[2] = ones; return x }\n";
        assertThat(inModel(layer)).hasSize(1);
        assertThat(inModel(layer + "x = f.scale")).isEmpty();
        assertThat(inModel(layer + "x = f.bias")).hasSize(1);
        assertThat(inModel(layer + "x = \"f.sc*\"")).isEmpty();
        assertThat(inModel(layer + "x = \"f.*\"")).hasSize(1);
        assertThat(warnings("model M(n: int = 1) {\n}\ntrain { seed n }\n", IncludeResolver.NONE))
                .isEmpty();
    }

    @Test
    void includedFilesAreExempt() {
        String layers = "layer F(x) { let n = 1; return G(x) }\nlayer H(x) { return x }\n";
        IncludeResolver includes =
                (path, from) -> new IncludeResolver.Found(new Source("parts.model", "remat 1\n" + layers));
        assertThat(warnings("include \"parts.model\"\nlayer G(x) { return x }\n", includes))
                .isEmpty();
        assertThat(warnings(layers + "layer G(x) { return x }\n", IncludeResolver.NONE))
                .hasSize(3);
    }

    @Test
    void theFirstTwentyAreToldInOrder() {
        String inputs = IntStream.range(0, 30)
                .mapToObj(i -> (i % 2 == 0 ? "layer" : "let") + " n" + i + (i % 2 == 0 ? "(x) { return x }" : " = 1"))
                .collect(Collectors.joining("\n"));
        List<Diagnostic> warnings = UnreadNames.of(ModelParser.parse(
                new Source("m.model", "remat 1\nmodel M {\n" + inputs + "\n}\n"), IncludeResolver.NONE));
        assertThat(warnings)
                .hasSize(Diagnostics.LIMIT)
                .extracting(warning -> warning.location().line())
                .isEqualTo(IntStream.range(3, 23).boxed().toList());
        assertThat(warnings).allMatch(warning -> warning.length() == 2 || warning.length() == 3);
    }
}
