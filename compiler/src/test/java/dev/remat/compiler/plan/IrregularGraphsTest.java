package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code tests/benchmarks/irregular_graphs.py} writes, as {@code planning.py} evaluates it. */
class IrregularGraphsTest {
    @ParameterizedTest
    @CsvSource({
        "100, 1, 236, 823296, 399872, 4523",
        "100, 5, 236, 688896, 343808, 4802",
        "250, 2, 944, 2209792, 537856, 12366",
        "500, 3, 2461, 4591360, 849920, 25207",
        "1000, 4, 5875, 9301248, 1296384, 50560",
    })
    void areTheSameInTwoLanguages(int nodes, long seed, int edges, long peak, long floor, long cost) {
        expect(IrregularGraphs.of(nodes, seed), edges, peak, floor, cost);
    }

    @ParameterizedTest
    @CsvSource({
        "100, 3, 236, 50828, 38247, 40171",
        "250, 1, 944, 174273, 55857, 122365",
        "1000, 5, 5875, 637571, 211978, 508448",
    })
    void narrowOnesAreTheSameInTwoLanguages(int nodes, long seed, int edges, long peak, long floor, long cost) {
        RematProblem problem = IrregularGraphs.narrow(nodes, seed);
        expect(problem, edges, peak, floor, cost);
        assertThat(problem.outputs()).containsExactly(nodes - 1);
        int sources = 0;
        for (int node = 0; node < nodes; node++) {
            sources += problem.inputCount(node) == 0 ? 1 : 0;
        }
        assertThat(sources).isEqualTo(1);
    }

    private static void expect(RematProblem problem, int edges, long peak, long floor, long cost) {
        int read = 0;
        for (int node = 0; node < problem.nodeCount(); node++) {
            read += problem.inputCount(node);
        }
        assertThat(read).isEqualTo(edges);
        assertThat(problem.baselineCost()).isEqualTo(cost);
        assertThat(Floor.of(problem).bytes()).isEqualTo(floor);
        assertThat(SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                        .peakBytes())
                .isEqualTo(peak);
    }
}
