package dev.remat.compiler.elaborate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.ast.Block;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Source;
import org.junit.jupiter.api.Test;

class CallSitesTest {
    private static CallSites sites(String body) {
        Block block = ModelParser.parse(
                        new Source("m.model", "remat 1\nmodel M {\n" + body + "\n}\n"), IncludeResolver.NONE)
                .definition()
                .orElseThrow()
                .body();
        return CallSites.of(block);
    }

    @Test
    void numbersWhatIsWrittenTwiceOrInALoop() {
        CallSites sites = sites("""
            a = linear(x, 1) |> Block |> layer_norm
            b = linear(layer_norm(a), 2)
            repeat 2 { c = Head(x) |> relu }
            if t { d = Tail(x) } else { d = x }
            """);
        assertThat(sites.isNumbered("linear")).isTrue();
        assertThat(sites.isNumbered("layer_norm")).isTrue();
        assertThat(sites.isNumbered("head")).isTrue();
        assertThat(sites.isNumbered("block")).isFalse();
        assertThat(sites.isNumbered("tail")).isFalse();
    }

    @Test
    void leavesOutCallsWithANameOpenOnesAndThoseInsideInnerLayers() {
        CallSites sites = sites("""
            a = linear(x, 1) as first
            f = linear(_, 1)
            layer Inner(x) { return linear(x, 3) }
            repeat 2 { b = linear(x, 1) as deep }
            c = x |> linear(2)
            """);
        assertThat(sites.isNumbered("linear")).isFalse();
        assertThat(sites.isGivenInLoop("deep")).isTrue();
        assertThat(sites.isGivenInLoop("first")).isFalse();
    }

    @Test
    void callsLayersByTheirNamesInSmallLetters() {
        assertThat(CallSites.nameOf("Attention")).isEqualTo("attention");
        assertThat(CallSites.nameOf("BasicBlock")).isEqualTo("basic_block");
        assertThat(CallSites.nameOf("MLPBlock")).isEqualTo("mlp_block");
        assertThat(CallSites.nameOf("Conv2dBn")).isEqualTo("conv2d_bn");
        assertThat(CallSites.nameOf("layer_norm")).isEqualTo("layer_norm");
        assertThat(CallSites.nameOf("MLP")).isEqualTo("mlp");
    }
}
