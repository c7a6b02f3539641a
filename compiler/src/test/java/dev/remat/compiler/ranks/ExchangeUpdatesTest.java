package dev.remat.compiler.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.text.GraphParser;
import dev.remat.ir.text.GraphPrinter;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What each of two ranks does with its share of a bucket of two sums, of 12 and of 16,384 elements. */
class ExchangeUpdatesTest {
    private static final String LION =
            "update{rule=lion, states=1, steps=[add x2 g, mul x3 t0, sub p t1], results=[t2, t0]}";

    private static Graph updates(String text) {
        Graph body = GraphParser.parse("""
            input %x f32[3, 4]
            input %y f32[16384]
            input %accumulated.v f32[3, 4] accumulator
            input %accumulated.w f32[16384] accumulator
            input %k i64[] micro_batch
            %a = accumulate(%accumulated.v, %x, %k) update
            %b = accumulate(%accumulated.w, %y, %k) update
            """);
        RoundGraphs rounds = new RoundGraphs(
                Optional.empty(),
                body,
                Optional.of(GraphParser.parse(
                        text.replace("LION", LION).replace("DECAYING", LION.replace("sub p", "add p")))));
        Graph made = ExchangePieces.run(rounds, 2, Shares.of(Sharding.OPTIMIZER))
                .updates()
                .orElseThrow();
        GraphVerifier.verify(made);
        return made;
    }

    /** Nodes, each value by its name alone. */
    private static String nodes(Graph graph) {
        String numbered = graph.nodes().stream()
                .map(node -> GraphPrinter.print(graph, node).replaceAll(" \"\" @.*", ""))
                .map(line -> line.replace(LION, "LION"))
                .map(line -> line.replaceAll("(%\\d+) \"[^\"]*\"", "$1"))
                .collect(Collectors.joining("\n"));
        return Pattern.compile("%(\\d+)")
                .matcher(numbered)
                .replaceAll(number -> "%"
                        + graph.values().get(Integer.parseInt(number.group(1))).name());
    }

    private static final String INPUTS = """
        input %accumulated.v f32[3, 4] accumulator
        input %accumulated.w f32[16384] accumulator
        input %v f32[3, 4] parameter
        input %w f32[16384] parameter
        input %optimizer.exp_avg.v f32[3, 4] state
        input %optimizer.exp_avg.w f32[16384] state constant(0.5)
        input %rate f32[]
        """;

    /** 16,396 elements in shares of nine units of 1,024: the state is the one behind the other. */
    @Test
    void eachUpdatesItsShareAndParametersAreGathered() {
        Graph made = updates(INPUTS + """
            %a, %am = LION(%v, %accumulated.v, %optimizer.exp_avg.v, %rate) update
            %b, %bm = LION(%w, %accumulated.w, %optimizer.exp_avg.w, %rate) update
            """);
        GraphInput own = made.inputs().stream()
                .filter(input -> input.share().isPresent())
                .reduce((_, _) -> {
                    throw new AssertionError("a second share");
                })
                .orElseThrow();
        assertThat(made.value(own.value()).name()).isEqualTo("own.optimizer.exp_avg.bucket.1");
        assertThat(made.type(own.value())).hasToString("f32[9216]");
        assertThat(own.share().orElseThrow().parts())
                .extracting(
                        ShareOf.Part::tensor,
                        ShareOf.Part::first,
                        part -> part.type().toString())
                .containsExactly(
                        tuple("optimizer.exp_avg.v", 0L, "f32[3, 4]"), tuple("optimizer.exp_avg.w", 12L, "f32[16384]"));
        assertThat(nodes(made)).isEqualTo("""
            %own.bucket.1 f32[9216] = own_share{ranks=2, aligned=false}(%v, %w) update
            %update f32[9216], %update.2 f32[9216] = \
            LION(%own.bucket.1, %accumulated.bucket.1, %own.optimizer.exp_avg.bucket.1, %rate) update
            %gathered.own.bucket.1 f32[2, 9216] = gather_shares{ranks=2}(%update) backward
            %reshape f32[18432] = reshape{shape=[18432]}(%gathered.own.bucket.1) backward
            %slice f32[12] = slice{starts=[0], sizes=[12]}(%reshape) backward
            %reshape.2 f32[3, 4] = reshape{shape=[3, 4]}(%slice) backward
            %assign f32[3, 4] = assign(%v, %reshape.2) update
            %slice.2 f32[16384] = slice{starts=[12], sizes=[16384]}(%reshape) backward
            %assign.2 f32[16384] = assign(%w, %slice.2) update
            """.strip());
    }

    /** Another decay is another bucket, of which that of 48 bytes is whole on each. */
    @Test
    void whatIsUpdatedOtherwiseLiesApart() {
        Graph made = updates(INPUTS + """
            %a, %am = LION(%v, %accumulated.v, %optimizer.exp_avg.v, %rate) update
            %b, %bm = DECAYING(%w, %accumulated.w, %optimizer.exp_avg.w, %rate) update
            """);
        assertThat(nodes(made))
                .contains("LION" + "(%v, %accumulated.v, %optimizer.exp_avg.v, %rate)")
                .contains("own_share{ranks=2, aligned=false}(%w)");
        assertThat(made.inputs().stream().map(input -> made.value(input.value()).name()))
                .contains("optimizer.exp_avg.v", "own.optimizer.exp_avg.w")
                .doesNotContain("optimizer.exp_avg.w");
    }

    /** Somebody reads a parameter between, so that it is updated whole. */
    @Test
    void whatIsReadBesideItsUpdateIsUpdatedWhole() {
        Graph made = updates(INPUTS + """
            %a, %am = LION(%v, %accumulated.v, %optimizer.exp_avg.v, %rate) update
            %read = exp(%w)
            %b, %bm = LION(%w, %accumulated.w, %optimizer.exp_avg.w, %rate) update
            output "read" %read
            """);
        assertThat(nodes(made)).doesNotContain("own_share").contains("(%w, %reshape, %optimizer.exp_avg.w, %rate)");
        assertThat(made.inputs()).allMatch(input -> input.share().isEmpty());
    }

    /** Sums are 12 and 16,384 elements long, of which the second begins with the second chunk of nine. */
    @Test
    void normsAreFoldedByChunks() {
        Graph made = updates(INPUTS + """
            %norm = sum_of_squares{scaled=false}(%accumulated.w, %accumulated.v)
            %finite = all_finite(%accumulated.v, %accumulated.w)
            %a, %am = LION(%v, %accumulated.v, %optimizer.exp_avg.v, %rate) update
            %b, %bm = LION(%w, %accumulated.w, %optimizer.exp_avg.w, %rate) update
            output "norm" %norm
            output "finite" %finite
            """);
        assertThat(nodes(made))
                .startsWith("""
                    %chunk_squares f64[9] = chunk_squares{firsts=[0, 1024], elements=[12, 16384], scaled=false}\
                    (%accumulated.bucket.1) backward
                    %gathered.squares f64[2, 9] = gather_shares{ranks=2}(%chunk_squares) backward
                    %reshape f64[18] = reshape{shape=[18]}(%gathered.squares) backward
                    %slice f64[16] = slice{starts=[1], sizes=[16]}(%reshape) backward
                    %slice.2 f64[1] = slice{starts=[0], sizes=[1]}(%reshape) backward
                    %norm f32[] = sum_of_chunks{chunked=[0, 1], scaled=false}(%slice, %slice.2) backward
                    %all_finite bool[] = all_finite(%accumulated.bucket.1) backward
                    %cast f32[] = cast{dtype=f32}(%all_finite) backward
                    %gathered.finite f32[2] = gather_shares{ranks=2}(%cast) backward
                    %reduce_min f32[1] = reduce_min{axes=[0]}(%gathered.finite) backward
                    """)
                .contains("own_share{ranks=2, aligned=true}(%v, %w)")
                .doesNotContain("gather_shares{ranks=2}(%accumulated.bucket.1)");
    }
}
