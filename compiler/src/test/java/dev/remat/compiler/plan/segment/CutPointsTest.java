package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.BlockCutpointGraph;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.SimpleGraph;
import org.junit.jupiter.api.Test;

class CutPointsTest {
    /** Forward nodes of one value each; node i reads the nodes in {@code reads[i]}. */
    private static RematProblem forward(int[]... reads) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int i = 0; i < reads.length; i++) {
            nodes.add(ProblemNode.of("n" + i, Role.FORWARD)
                    .withInputs(reads[i])
                    .withResult(ProblemValue.of("n" + i, 10)));
        }
        return RematProblem.of("forward", nodes, List.of());
    }

    private static boolean[] cutPoints(RematProblem problem) {
        return CutPoints.of(ForwardGraph.of(problem, Retention.required(problem)));
    }

    @Test
    void areTheInnerNodesOfAChain() {
        assertThat(cutPoints(forward(new int[] {}, new int[] {0}, new int[] {1}, new int[] {2})))
                .containsExactly(false, true, true, false);
    }

    @Test
    void areTheEndsOfASkipAndNotWhatItSpans() {
        assertThat(cutPoints(forward(
                        new int[] {}, new int[] {0}, new int[] {1}, new int[] {2}, new int[] {1, 3}, new int[] {4})))
                .containsExactly(false, true, false, false, true, false);
    }

    @Test
    void agreeWithTheBlockCutTreeOfJGraphT() {
        int found = 0;
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int size = 2 + random.nextInt(40);
            int[][] reads = new int[size][];
            Graph<Integer, DefaultEdge> graph = new SimpleGraph<>(DefaultEdge.class);
            for (int i = 0; i < size; i++) {
                graph.addVertex(i);
                int inputs = i == 0 ? 0 : random.nextInt(8) == 0 ? 2 : 1;
                int reach = random.nextInt(3) == 0 ? i : Math.min(i, 3);
                int at = i;
                reads[i] = IntStream.range(0, inputs)
                        .map(k -> at - 1 - random.nextInt(reach))
                        .toArray();
                for (int input : reads[i]) {
                    graph.addEdge(input, i);
                }
            }
            boolean[] ours = cutPoints(forward(reads));
            Set<Integer> theirs = new BlockCutpointGraph<>(graph).getCutpoints();
            for (int i = 0; i < size; i++) {
                assertThat(ours[i]).as("seed %d, node %d", seed, i).isEqualTo(theirs.contains(i));
                found += ours[i] ? 1 : 0;
            }
        }
        assertThat(found).isGreaterThan(1000);
    }

    /** Residents and free scalars touch everything; were they edges, nothing would be a cut vertex. */
    @Test
    void leaveResidentsAndScalarsAside() {
        RematProblem problem = RematProblem.of(
                "shared",
                List.of(
                        ProblemNode.resident("w", 5),
                        ProblemNode.of("seed", Role.FORWARD).withResult(ProblemValue.of("seed", 0)),
                        ProblemNode.of("a", Role.FORWARD).withInputs(0, 1).withResult(ProblemValue.of("a", 10)),
                        ProblemNode.of("b", Role.FORWARD).withInputs(0, 1, 2).withResult(ProblemValue.of("b", 10)),
                        ProblemNode.of("c", Role.FORWARD).withInputs(0, 1, 3).withResult(ProblemValue.of("c", 10))),
                List.of());
        assertThat(cutPoints(problem)).containsExactly(false, false, true, false);
    }

    @Test
    void surviveTheDepthOfAHundredThousandNodes() {
        int[][] reads = new int[100_000][];
        for (int i = 0; i < reads.length; i++) {
            reads[i] = i == 0 ? new int[0] : new int[] {i - 1};
        }
        boolean[] cut = cutPoints(forward(reads));
        assertThat(IntStream.range(0, cut.length).filter(i -> cut[i]).count()).isEqualTo(reads.length - 2);
    }
}
