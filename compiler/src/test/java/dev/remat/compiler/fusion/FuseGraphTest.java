package dev.remat.compiler.fusion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.TestTarget;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.fusion.FuseGraph.Rewrite;
import dev.remat.compiler.simplify.SimplifyForward;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.BuildStepGraph;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.CanonicalHash;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FuseGraphTest {
    private static final TestTarget TARGET = new TestTarget();
    /** A unit that halves its images, as wide as the target likes it: something in it is for every rewrite. */
    private static final Graph STEP = step("""
        remat 1

        model Unit() {
          symbol B
          input images: f32[B, 3, 16, 16]
          input labels: i32[B]
          layer Conv(x, channels: int, kernel: int, stride: int = 1) {
            return conv2d(x, channels, kernel, stride = stride, padding = floordiv(kernel, 2), bias = false)
          }
          x = Conv(images, 16, 3) |> batch_norm |> relu
          y = Conv(x, 16, 3) |> batch_norm |> relu
          y = Conv(y, 32, 3) |> batch_norm
          x = relu(y + Conv(x, 32, 1))
          y = Conv(x, 16, 1, stride = 2) |> batch_norm |> relu
          x = relu(y + Conv(x, 16, 1, stride = 2)) |> global_avg_pool
          loss = cross_entropy(linear(x, 8), labels)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
          precision bf16
          seed 1
        }
        """);

    private static Graph step(String text) {
        ElaboratedModel model = Elaborator.elaborate(
                ModelParser.parse(new Source("unit.model", text), IncludeResolver.NONE),
                Bindings.parse(List.of("B=4")),
                Purpose.TRAIN);
        return BuildStepGraph.run(SimplifyForward.run(model.forward(), true), Purpose.TRAIN, model.training())
                .graph();
    }

    /** What is planned: a hash of the graph, and what each group computes. */
    private static List<String> groups(List<Rewrite> rewrites) {
        FusedGraph fused = FuseGraph.run(rewrites, STEP, TARGET, PassListener.NONE);
        return Stream.concat(
                        Stream.of(CanonicalHash.of(fused.graph()).toString()),
                        fused.groups().stream().map(group -> group.body().toString()))
                .toList();
    }

    private static List<List<Rewrite>> orders(List<Rewrite> rewrites) {
        if (rewrites.isEmpty()) {
            return List.of(List.of());
        }
        return rewrites.stream()
                .flatMap(first -> orders(rewrites.stream()
                                .filter(other -> !other.equals(first))
                                .toList())
                        .stream()
                        .map(rest ->
                                Stream.concat(Stream.of(first), rest.stream()).toList()))
                .toList();
    }

    private static boolean isOrdered(List<Rewrite> rewrites) {
        try {
            FuseGraph.ordered(rewrites);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    @SuppressWarnings("ReferenceEquality") // What finds nothing returns the graph it was given.
    void everyRewriteFindsSomethingAndLeavesAGraph() {
        Set<String> changed = new LinkedHashSet<>();
        List<Graph> graphs = new ArrayList<>(List.of(STEP));
        FuseGraph.run(STEP, TARGET, (pass, graph) -> {
            GraphVerifier.verify(graph);
            if (graph != graphs.getLast()) {
                changed.add(pass);
            }
            graphs.add(graph);
        });
        assertThat(changed)
                .containsAll(FuseGraph.REWRITES.stream().map(Rewrite::pass).toList())
                .last()
                .isEqualTo("place-results");
    }

    @Test
    void anyOrderThatIsAllowedMakesTheSameGroups() throws Exception {
        List<String> groups = groups(FuseGraph.REWRITES);
        List<List<Rewrite>> allowed = orders(FuseGraph.REWRITES).stream()
                .filter(FuseGraphTest::isOrdered)
                .toList();
        assertThat(allowed)
                .hasSize(14)
                .allSatisfy(order -> assertThat(groups(order)).isEqualTo(groups));
    }

    @Test
    void whatComesBeforeWhatItFollowsIsRefused() {
        for (Rewrite rewrite : FuseGraph.REWRITES) {
            for (String earlier : rewrite.after()) {
                List<Rewrite> wrong = new ArrayList<>(FuseGraph.REWRITES);
                wrong.remove(rewrite);
                int at = wrong.stream().map(Rewrite::pass).toList().indexOf(earlier);
                wrong.add(at, rewrite);
                assertThatThrownBy(() -> FuseGraph.ordered(wrong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(rewrite.pass() + " comes after");
            }
        }
    }

    @Test
    void whatFollowsSomethingThatIsNotThereIsRefused() {
        assertThat(isOrdered(FuseGraph.REWRITES)).isTrue();
        assertThat(isOrdered(FuseGraph.REWRITES.subList(1, FuseGraph.REWRITES.size())))
                .isFalse();
    }

    @Test
    void anOrderThatIsRefusedMayMakeOtherGroups() {
        List<Rewrite> signsFirst = new ArrayList<>(FuseGraph.REWRITES);
        Rewrite signs = signsFirst.remove(4);
        signsFirst.addFirst(signs);
        assertThat(signs.pass()).isEqualTo("keep-signs");
        assertThat(isOrdered(signsFirst)).isFalse();
        assertThat(groups(signsFirst)).isNotEqualTo(groups(FuseGraph.REWRITES));
    }
}
