package dev.remat.compiler.remat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.compiler.unit.SeedChain;
import dev.remat.ir.CanonicalHash;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphRewriter;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.Node;
import dev.remat.ir.Role;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.VerificationException;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.StepSeed;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of {@link InsertRecompute}, and of what proves it right: {@link SeedChain} and {@link MergeClones}. */
class InsertRecomputeTest {
    private static final Softmax SOFTMAX = new Softmax();
    private static final MatMul PRODUCT = new MatMul(false, false);

    private static HandGraph chain() {
        return new HandGraph()
                .data("x", 8, 8)
                .node("a", SOFTMAX, "x")
                .node("b", SOFTMAX, "a")
                .node("c", SOFTMAX, "b")
                .as(Role.BACKWARD)
                .node("dc", PRODUCT, "c", "b")
                .node("db", PRODUCT, "dc", "a")
                .output("loss", "c")
                .output("grad", "db");
    }

    /** Two draws, whose masks the backward pass draws again. */
    private static Graph dropouts() {
        return new HandGraph()
                .data("x", 8, 8)
                .node("seed", new StepSeed())
                .node("a", SOFTMAX, "x")
                .node("b seed.1", new Dropout(0.5, 0), "a", "seed")
                .node("c", SOFTMAX, "b")
                .node("d seed.2", new Dropout(0.5, 1), "c", "seed.1")
                .node("e", SOFTMAX, "d")
                .as(Role.BACKWARD)
                .node("de", PRODUCT, "e", "d")
                .node("dd", new DropoutGradient(0.5, 1), "de", "seed.1")
                .node("dc", PRODUCT, "dd", "c")
                .node("db", PRODUCT, "dc", "b")
                .node("dx", new DropoutGradient(0.5, 0), "db", "seed")
                .output("loss", "e")
                .output("grad", "dx")
                .build();
    }

    private static void prove(Graph original, Graph rematerialized) {
        GraphVerifier.verify(rematerialized);
        SeedChain.of(rematerialized).verify(rematerialized);
        assertThat(CanonicalHash.of(MergeClones.run(rematerialized))).isEqualTo(CanonicalHash.of(original));
    }

    private static Graph insert(Graph graph, String steps) {
        Graph rematerialized = Problems.insert(graph, steps).graph();
        prove(Problems.units(graph).graph(), rematerialized);
        return rematerialized;
    }

    @Test
    void leavesASequenceWithoutRepeatsAsItIs() {
        Graph graph = chain().build();
        assertThat(Brief.of(insert(graph, "a b c dc db"))).isEqualTo(Brief.of(graph));
    }

    @Test
    void clonesRepeatsAndLetsReadersSeeTheLatest() {
        Graph graph = insert(chain().build(), "a b c b dc a db");
        assertThat(Brief.of(graph))
                .containsExactly(
                        "a = softmax(x)",
                        "b = softmax(a)",
                        "c = softmax(b)",
                        "b' = softmax(a)",
                        "dc = matmul(c, b')",
                        "a' = softmax(x)",
                        "db = matmul(dc, a')",
                        "output loss c",
                        "output grad db");
        assertThat(graph.nodes())
                .extracting(Node::isClone)
                .containsExactly(false, false, false, true, false, true, false);
    }

    @Test
    void followsTheOrderOfFirstRuns() {
        HandGraph graph = new HandGraph()
                .data("x", 8, 8)
                .node("a", SOFTMAX, "x")
                .node("b", PRODUCT, "x", "x")
                .node("c", PRODUCT, "a", "b")
                .output("loss", "c");
        assertThat(Brief.of(insert(graph.build(), "b a c"))).startsWith("b = matmul(x, x)", "a = softmax(x)");
    }

    @Test
    void makesViewsOfARepeatAgain() {
        HandGraph graph = new HandGraph()
                .data("x", 8, 8)
                .node("a", SOFTMAX, "x")
                .node("view", new Reshape(Shape.of(4, 16)), "a")
                .node("b", SOFTMAX, "view")
                .as(Role.BACKWARD)
                .node("d", SOFTMAX, "view")
                .output("loss", "b")
                .output("grad", "d");
        assertThat(Brief.of(insert(graph.build(), "a b a d"))).contains("view' = reshape(a')", "d = softmax(view')");
        assertThat(Brief.of(insert(graph.build(), "a b d"))).contains("d = softmax(view)");
    }

    @Test
    void resetsTheSeedOfARunOfRepeats() {
        Graph graph = insert(dropouts(), "a b c d e b c d dd dc dx");
        assertThat(Brief.of(graph))
                .contains(
                        "b', seed.1' = dropout(a, reset_seed)", "d', seed.2' = dropout(c', seed.1')",
                        "dd = dropout_grad(de, seed.1)", "dx = dropout_grad(db, seed)");
        assertThat(Brief.of(graph).stream().filter(line -> line.contains("= reset_seed()")))
                .hasSize(1);
    }

    @Test
    void resetsTheSeedOfEachRun() {
        Graph graph = insert(dropouts(), "a b c d e d dd b dc dx");
        assertThat(Brief.of(graph).stream().filter(line -> line.contains("= reset_seed()")))
                .hasSize(2);
    }

    @Test
    void drawsWithoutResetsWhereNothingRepeats() {
        assertThat(Brief.of(insert(dropouts(), "a b c d e dd dc dx")))
                .noneMatch(line -> line.contains("reset_seed"))
                .contains("seed = step_seed()", "b, seed.1 = dropout(a, seed)", "d, seed.2 = dropout(c, seed.1)");
    }

    @Test
    void findsAClonedDrawWhoseResetIsGone() {
        Graph graph = insert(dropouts(), "a b c d e b c d dd dc dx");
        Graph spoilt = withoutReset(graph);
        GraphVerifier.verify(spoilt);
        assertThatThrownBy(() -> SeedChain.of(spoilt).verify(spoilt))
                .isInstanceOf(VerificationException.class)
                .hasMessageContaining("draws at 2 of the random chain instead of 0");
    }

    /** The graph without its reset seed: the clone goes on from where the chain stands. */
    private static Graph withoutReset(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        ValueId latest = graph.nodes().getFirst().results().getFirst();
        for (Node node : graph.nodes()) {
            if (node.op() instanceof ResetSeed) {
                rewriter.replace(node.results().getFirst(), rewriter.map(latest));
                continue;
            }
            rewriter.copy(node);
            if (node.op() instanceof RandomOp) {
                latest = node.results().getLast();
            }
        }
        rewriter.copyOutputs();
        return rewriter.build();
    }

    @Test
    void namesStepsBySequence() {
        RematerializedGraph rematerialized = Problems.insert(chain().build(), "a b c b dc a db");
        assertThat(rematerialized.steps().stream()
                        .map(step -> step.getLast())
                        .map(rematerialized.graph()::node)
                        .map(node -> rematerialized
                                .graph()
                                .value(node.results().getFirst())
                                .name()))
                .isEqualTo(List.of("a", "b", "c", "b'", "dc", "a'", "db"));
    }
}
