package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MinCutTest {
    private static List<String> cut(RematProblem problem, double price) {
        Retention retention = Retention.required(problem);
        MinCut.retainCut(problem, retention, price, problem.baselineCost(), SearchListener.NONE);
        List<String> retained = new ArrayList<>();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (retention.retained(v)) {
                retained.add(problem.valueId(v));
            }
        }
        return retained;
    }

    /**
     * wide (100 bytes, cost 2) is made of narrow (1 byte, cost 50). At a price of 0.1 a byte it pays to retain narrow
     * and compute wide again for 2 instead of 10; at 0.01 wide is retained for 1 and narrow needed no more.
     */
    @Test
    void retainsTheNarrowAndRecomputesTheWide() {
        RematProblem problem = RematProblem.of(
                "wide",
                List.of(
                        ProblemNode.of("narrow", Role.FORWARD).withCost(50).withResult(ProblemValue.of("narrow", 1)),
                        ProblemNode.of("wide", Role.FORWARD)
                                .withCost(2)
                                .withInputs(0)
                                .withResult(ProblemValue.of("wide", 100)),
                        ProblemNode.of("loss", Role.FORWARD).withInputs(1).withResult(ProblemValue.of("loss", 1)),
                        ProblemNode.of("grad", Role.BACKWARD).withInputs(1).withResult(ProblemValue.of("grad", 1))),
                List.of());
        assertThat(cut(problem, 0.1)).containsExactly("narrow");
        assertThat(cut(problem, 0.01)).containsExactly("wide");
    }

    /** Against every choice of what to retain, on small random steps without pins. */
    @Test
    void isTheCheapestOfAllChoices() {
        SplittableRandom random = new SplittableRandom(5);
        for (int trial = 0; trial < 60; trial++) {
            int size = 4 + random.nextInt(6);
            List<ProblemNode> nodes = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int[] inputs = i == 0
                        ? new int[0]
                        : random.ints(1 + random.nextInt(2), 0, i).distinct().toArray();
                nodes.add(ProblemNode.of("f" + i, Role.FORWARD)
                        .withCost(1 + random.nextInt(20))
                        .withInputs(inputs)
                        .withResult(ProblemValue.of("f" + i, 1 + random.nextInt(20))));
            }
            int[] needed =
                    random.ints(1 + random.nextInt(size), 0, size).distinct().toArray();
            nodes.add(ProblemNode.of("grad", Role.BACKWARD).withInputs(needed).withResult(ProblemValue.of("grad", 1)));
            RematProblem problem = RematProblem.of("random", nodes, List.of());
            double price = 0.1 + random.nextInt(40) / 10.0;
            double best = Double.MAX_VALUE;
            for (int choice = 0; choice < 1 << size; choice++) {
                best = Math.min(best, price(problem, choice, price));
            }
            int chosen = 0;
            for (String id : cut(problem, price)) {
                chosen |= 1 << Integer.parseInt(id.substring(1));
            }
            assertThat(price(problem, chosen, price))
                    .as("trial %d", trial)
                    .isCloseTo(best, org.assertj.core.data.Offset.offset(1e-3));
        }
    }

    /** Price of the bytes chosen and cost of what must run again for the backward. */
    private static double price(RematProblem problem, int retained, double price) {
        int last = problem.nodeCount() - 1;
        boolean[] runs = new boolean[last + 1];
        runs[last] = true;
        double sum = 0;
        for (int n = last; n >= 0; n--) {
            sum += runs[n] && n < last ? problem.cost(n) : 0;
            sum += n < last && (retained >> n & 1) == 1 ? price * problem.bytes(n) : 0;
            for (int k = 0; runs[n] && k < problem.inputCount(n); k++) {
                int v = problem.input(n, k);
                runs[v] |= (retained >> v & 1) == 0;
            }
        }
        return sum;
    }
}
