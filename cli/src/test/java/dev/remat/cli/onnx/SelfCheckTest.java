package dev.remat.cli.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class SelfCheckTest {
    private static final String PLAIN = "y = x * 2.0 + 1.0";

    private static ImportedGraph graph(String statement) {
        String text = """
            remat 1

            model M {
              symbol B
              input x: f32[B, 3]
              %s
              output y
            }
            """.formatted(statement);
        SequencedMap<String, TensorType> inputs = new LinkedHashMap<>();
        inputs.put("x", new TensorType(DType.F32, new Shape(List.of(Dim.symbol("B"), Dim.of(3)))));
        SequencedMap<String, String> names = new LinkedHashMap<>();
        return new ImportedGraph(text, List.of(), 2, inputs, List.of(), names, names, 0, new LinkedHashMap<>());
    }

    private static Optional<SelfCheck.Outcome> check(String readable, String plain) {
        return SelfCheck.run(graph(readable), List.of(), graph(plain), List.of());
    }

    @Test
    void whatAgreesDoesSoAtTwoSizes() {
        SelfCheck.Outcome outcome = check("y = 1.0 + (x + x)", PLAIN).orElseThrow();
        assertThat(outcome.sizes()).isEqualTo(2);
        assertThat(outcome.difference()).isLessThan(1e-6);
    }

    @Test
    void whatDiffersIsAnError() {
        assertThatThrownBy(() -> check("y = x * 2.0 + 1.01", PLAIN))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("differs from that of single nodes");
        assertThatThrownBy(() -> check("y = mean(x * 2.0 + 1.0, 1)", PLAIN)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatIsRefusedAloneIsAnError() {
        assertThatThrownBy(() -> check("y = reshape(x, [2, 3])", "y = concat([x, x], 0)[:B]"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is refused where that of single nodes is not");
    }

    /** No size is known at which single nodes run, or what they draw is drawn in another order. */
    @Test
    void whatCannotBeComparedIsNot() {
        String four = "y = reshape(x, [4, 3]) * 2.0";
        assertThat(check(four, four)).isEmpty();
        assertThat(check("y = dropout(x, 0.5)", "y = dropout(x, 0.5)")).isEmpty();
    }
}
