package dev.remat.compiler.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.text.GraphParser;
import dev.remat.ir.text.GraphPrinter;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a round reads of two parameters of 16,384 and 65,536 elements, of which each of two ranks has half. */
class GatherParametersTest {
    private static RoundGraphs shared(String body) {
        String updates = """
            input %accumulated.v f32[128, 128] accumulator
            input %accumulated.w f32[65536] accumulator
            input %v f32[128, 128] parameter
            input %w f32[65536] parameter
            input %rate f32[]
            %a = SGD(%v, %accumulated.v, %rate) update
            %b = SGD(%w, %accumulated.w, %rate) update
            """.replace("SGD", "update{rule=sgd, states=0, steps=[mul x2 g, sub p t0], results=[t1]}");
        RoundGraphs rounds =
                new RoundGraphs(Optional.empty(), GraphParser.parse(body), Optional.of(GraphParser.parse(updates)));
        RoundGraphs made = ExchangePieces.run(rounds, 2, Shares.of(Sharding.PARAMETERS));
        GraphVerifier.verify(made.body());
        GraphVerifier.verify(made.updates().orElseThrow());
        return made;
    }

    private static final String INPUTS = """
        input %x f32[128, 128]
        input %accumulated.v f32[128, 128] accumulator
        input %accumulated.w f32[65536] accumulator
        input %k i64[] micro_batch
        input %v f32[128, 128] parameter normal(0.0, 1.0)
        input %w f32[65536] parameter
        """;

    private static String text(Graph graph) {
        return GraphPrinter.print(graph);
    }

    /** The first bucket is that of w, whose sum is complete before: the other comes while the first is read. */
    @Test
    void bucketsAreGatheredAheadOfWhatReadsThem() {
        RoundGraphs made = shared(INPUTS + """
            %y = add(%x, %v)
            %z = exp(%w)
            %q = mul(%y, %v)
            %a = accumulate(%accumulated.w, %z, %k) update
            %b = accumulate(%accumulated.v, %q, %k) update
            """);
        assertThat(text(made.body())).isEqualTo(text(GraphParser.parse("""
            input %x f32[128, 128]
            input %accumulated.v f32[8192] accumulator
            input %accumulated.w f32[32768] accumulator
            input %k i64[] micro_batch
            input %own.v f32[8192] parameter constant(0.0) share("v" f32[128, 128] normal(0.0, 1.0) 0 )
            input %own.w f32[32768] parameter constant(0.0) share("w" f32[65536] constant(0.0) 0 )
            %gathered.own.v f32[2, 8192] = gather_shares{ranks=2}(%own.v)
            %reshape f32[16384] = reshape{shape=[16384]}(%gathered.own.v)
            %gathered.own.w f32[2, 32768] = gather_shares{ranks=2}(%own.w)
            %reshape.2 f32[65536] = reshape{shape=[65536]}(%gathered.own.w)
            %slice f32[16384] = slice{starts=[0], sizes=[16384]}(%reshape)
            %reshape.3 f32[128, 128] = reshape{shape=[128, 128]}(%slice)
            %y = add(%x, %reshape.3)
            %z = exp(%reshape.2)
            %q = mul(%y, %reshape.3)
            %scattered.w f32[2, 32768] = scatter_shares{ranks=2}(%z) backward
            %scattered.v f32[2, 8192] = scatter_shares{ranks=2}(%q) backward
            %a = accumulate(%accumulated.w, %scattered.w, %z, %k) update
            %b = accumulate(%accumulated.v, %scattered.v, %q, %k) update
            """)));
        assertThat(text(made.updates().orElseThrow()))
                .contains("\"own.v\" f32[8192]", "\"own.w\" f32[32768]")
                .doesNotContain("own_share", "gather_shares", "assign");
    }

    /** Half as many bytes are sent of what is only read narrow; of the other, somebody reads all. */
    @Test
    void whatIsOnlyReadNarrowIsSentNarrow() {
        RoundGraphs made = shared(INPUTS + """
            %narrow = cast{dtype=bf16}(%w)
            %y = add(%x, %v)
            %also = cast{dtype=bf16}(%v)
            %p = exp(%narrow)
            %q = exp(%also)
            %wide.p = cast{dtype=f32}(%p)
            %wide.q = cast{dtype=f32}(%q)
            %a = accumulate(%accumulated.w, %wide.p, %k) update
            %b = accumulate(%accumulated.v, %wide.q, %k) update
            output "y" %y
            """);
        assertThat(text(made.body())).contains("\"gathered.own.w\" bf16[2, 32768]", "\"gathered.own.v\" f32[2, 8192]");
    }
}
