package dev.remat.ir.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GraphParserTest {
    private static final String FULL = """
        graph "graph" {
          input %0 "x" f32[8, 4] data @<none>:1:1
          input %1 "w" f32[2, 4] parameter constant(0.0) @<none>:1:1
          %2 "y" f32[8, 2] pinned @<none>:1:1 \
        = matmul{transpose_a=false, transpose_b=true}(%0, %1) forward "" @<none>:1:1
          %3 "z" f32[8, 2] = exp(%2) backward "" in 0/2 @<none>:1:1 @<none>:1:1
          %4 "y'" f32[8, 2] retained("needed") \
        = matmul{transpose_a=false, transpose_b=true}(%0, %1) forward "" @<none>:1:1 remat #0
          output "z" %3
        }
        """;

    @Test
    void readsWhatIsPrinted() {
        assertThat(GraphPrinter.print(GraphParser.parse(FULL))).isEqualTo(FULL);
    }

    @Test
    void readsWhatIsShared() {
        String shared = """
            input %0 "own.m" f32[1024] state constant(0.0) share("m.a" f32[2, 3] constant(0.0) 0 @a.model:3:1 \
            "m.b" f32[7] normal(0.0, 1.0) 8 @a.model:4:1 ) @a.model:3:1
            """;
        String printed = GraphPrinter.print(GraphParser.parse(shared));
        assertThat(printed).contains(shared.strip());
        assertThat(GraphPrinter.print(GraphParser.parse(printed))).isEqualTo(printed);
    }

    @Test
    void fillsInWhatGoesWithoutSaying() {
        assertThat(GraphParser.parse("""
            input %x f32[8, 4]
            input %w f32[2, 4] parameter
            %y pinned = matmul{transpose_b=true}(%x, %w)  // f32[8, 2]
            %z = exp(%y) backward in 0/2
            %y' retained("needed") = matmul{transpose_b=true}(%x, %w) remat %y
            output %z
            """)).isEqualTo(GraphParser.parse(FULL));
    }

    @Test
    void namesTheLineThatItCannotRead() {
        refuses("input %x f32[4]\n%y = exp(%z)", "line 2: no value is called %z");
        refuses("input %x f32[4]\n%2 = exp(%x)", "line 2: expected %1 instead of %2");
        refuses("input %x f32[4]\n%x = exp(%x)", "line 2: two values are called %x");
        refuses("input %x f32[4]\n%y = exp(%3)", "line 2: %3 is not computed yet");
        refuses("input %x f32[4]\n%y, %z = exp(%x)", "line 2: exp has 1 results");
        refuses("input %x i32[4]\n%y = exp(%x)", "line 2: exp takes");
        refuses("input %x f32[4]\n%y = no(%x)", "line 2: unknown operation no");
        refuses("input %x f32[4]\n%y = softmax{axis=1}(%x)", "line 2: softmax has no attribute axis");
        refuses("%y = exp(", "line 1: expected )");
    }

    private static void refuses(String text, String message) {
        assertThatThrownBy(() -> GraphParser.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }
}
