package dev.remat.compiler.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.text.GraphParser;
import dev.remat.ir.text.GraphPrinter;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of the updates; {@code passes/exchange-pieces} has what becomes of a round. */
class ExchangePiecesTest {
    private static Graph updates(long elements, String updates) {
        Graph body = GraphParser.parse("""
            input %%x f32[%1$d]
            input %%accumulated.w f32[%1$d] accumulator
            input %%k i64[] micro_batch
            %%next = accumulate(%%accumulated.w, %%x, %%k) update
            """.formatted(elements));
        RoundGraphs rounds = new RoundGraphs(Optional.empty(), body, Optional.of(GraphParser.parse(updates)));
        Graph made = ExchangePieces.run(rounds, 3).updates().orElseThrow();
        GraphVerifier.verify(made);
        return made;
    }

    private static String printed(String text) {
        return GraphPrinter.print(GraphParser.parse(text));
    }

    /** 16,385 elements in three shares of 6 units of 1,024, of which the last is filled up. */
    @Test
    void sharesArePutTogetherWhereTheyAreReadFirst() {
        Graph made = updates(16385, """
            input %accumulated.w f32[16385] accumulator
            input %p f32[16385] parameter
            input %rate f32[]
            %q = exp(%p)
            %a = mul(%accumulated.w, %q)
            %b = add(%accumulated.w, %a)
            output %b
            """);
        assertThat(GraphPrinter.print(made)).isEqualTo(printed("""
            input %accumulated.w f32[6144] accumulator
            input %p f32[16385] parameter
            input %rate f32[]
            %q = exp(%p)
            %gathered.w f32[3, 6144] = gather_shares{ranks=3}(%accumulated.w) backward
            %reshape f32[18432] = reshape{shape=[18432]}(%gathered.w) backward
            %slice f32[16385] = slice{starts=[0], sizes=[16385]}(%reshape) backward
            %a = mul(%slice, %q)
            %b = add(%slice, %a)
            output %b
            """));
    }

    @Test
    void smallSumsAreWholeAlready() {
        String small = """
            input %accumulated.w f32[16383] accumulator
            %a = exp(%accumulated.w)
            output %a
            """;
        assertThat(GraphPrinter.print(updates(16383, small))).isEqualTo(printed(small));
    }
}
