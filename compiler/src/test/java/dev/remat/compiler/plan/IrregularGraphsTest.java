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
        RematProblem problem = IrregularGraphs.of(nodes, seed);
        int read = 0;
        for (int node = 0; node < nodes; node++) {
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
