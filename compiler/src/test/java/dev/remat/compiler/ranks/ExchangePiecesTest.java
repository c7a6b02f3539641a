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
        Graph made = ExchangePieces.run(rounds, 3, Shares.of(Sharding.NONE))
                .updates()
                .orElseThrow();
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

    /** Two sums one behind the other, of 3 x 4 and of 16,384 elements; the second is updated first. */
    @Test
    void sumsOfABucketAreCutOutOfIt() {
        Graph body = GraphParser.parse("""
            input %x f32[3, 4]
            input %y f32[16384]
            input %accumulated.v f32[3, 4] accumulator
            input %accumulated.w f32[16384] accumulator
            input %k i64[] micro_batch
            %a = accumulate(%accumulated.v, %x, %k) update
            %b = accumulate(%accumulated.w, %y, %k) update
            """);
        Graph updates = GraphParser.parse("""
            input %accumulated.v f32[3, 4] accumulator
            input %accumulated.w f32[16384] accumulator
            %c = exp(%accumulated.w)
            %d = exp(%accumulated.v)
            output %c
            output %d
            """);
        RoundGraphs made = ExchangePieces.run(
                new RoundGraphs(Optional.empty(), body, Optional.of(updates)), 2, Shares.of(Sharding.NONE));
        assertThat(GraphPrinter.print(made.body())).isEqualTo(printed("""
            input %x f32[3, 4]
            input %y f32[16384]
            input %accumulated.bucket.1 f32[9216] accumulator
            input %k i64[] micro_batch
            %reshape f32[12] = reshape{shape=[12]}(%x) backward
            %bucket.1 f32[16396] = concat{axis=0}(%reshape, %y) backward
            %scattered.bucket.1 f32[2, 9216] = scatter_shares{ranks=2}(%bucket.1) backward
            %b = accumulate(%accumulated.bucket.1, %scattered.bucket.1, %bucket.1, %k) update
            """));
        assertThat(GraphPrinter.print(made.updates().orElseThrow())).isEqualTo(printed("""
            input %accumulated.bucket.1 f32[9216] accumulator
            %gathered.bucket.1 f32[2, 9216] = gather_shares{ranks=2}(%accumulated.bucket.1) backward
            %reshape f32[18432] = reshape{shape=[18432]}(%gathered.bucket.1) backward
            %slice f32[16384] = slice{starts=[12], sizes=[16384]}(%reshape) backward
            %c = exp(%slice)
            %slice.2 f32[12] = slice{starts=[0], sizes=[12]}(%reshape) backward
            %reshape.2 f32[3, 4] = reshape{shape=[3, 4]}(%slice.2) backward
            %d = exp(%reshape.2)
            output %c
            output %d
            """));
    }
}
