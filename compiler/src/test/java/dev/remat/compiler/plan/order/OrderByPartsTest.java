package dev.remat.compiler.plan.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.SeriesParallelGraphs;
import dev.remat.compiler.plan.Summaries;
import dev.remat.compiler.plan.order.OrderByParts.Found;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderByPartsTest {
    private static Found find(RematProblem problem) {
        return new OrderByParts(problem, new OrderRules(problem)).find();
    }

    private static int[] given(RematProblem problem) {
        int[] given = new int[problem.nodeCount()];
        Arrays.setAll(given, n -> n);
        return given;
    }

    private static long peak(RematProblem problem, int[] order) {
        int[] steps = Arrays.stream(order).filter(n -> !problem.residentNode(n)).toArray();
        return BruteForce.peak(problem, new OperatorSequence("order", steps, List.of()));
    }

    /** The least peak of all orders, by all sets of nodes that may have run. */
    private static long leastPeak(RematProblem problem) {
        int nodes = problem.nodeCount();
        int residents = 0;
        for (int n = 0; n < nodes; n++) {
            residents |= problem.residentNode(n) ? 1 << n : 0;
        }
        long[] least = new long[1 << nodes];
        Arrays.fill(least, Long.MAX_VALUE);
        least[residents] = 0;
        for (int ran = residents; ran < least.length; ran++) {
            for (int n = 0; n < nodes && least[ran] < Long.MAX_VALUE; n++) {
                int needed = 0;
                for (int k = 0; k < problem.inputCount(n); k++) {
                    needed |= 1 << problem.producer(problem.input(n, k));
                }
                if ((ran >> n & 1) == 0 && (needed & ~ran) == 0) {
                    int next = ran | 1 << n;
                    least[next] = Math.min(least[next], Math.max(least[ran], whileRunning(problem, ran, n)));
                }
            }
        }
        return least[least.length - 1];
    }

    private static long whileRunning(RematProblem problem, int ran, int node) {
        long bytes = problem.workspaceBytes(node);
        for (int v = 0; v < problem.valueCount(); v++) {
            boolean owns = problem.storage(v) == v;
            boolean made = problem.producer(v) == node;
            boolean live = (ran >> problem.producer(v) & 1) == 1 && readBy(problem, v, ~ran);
            bytes += owns && (problem.resident(v) || live || made && !inPlace(problem, ran, v)) ? problem.bytes(v) : 0;
        }
        return bytes;
    }

    private static boolean readBy(RematProblem problem, int storage, int nodes) {
        boolean read = false;
        for (int v = 0; v < problem.valueCount(); v++) {
            boolean in = problem.storage(v) == storage;
            read |= in && problem.output(v);
            for (int k = 0; in && k < problem.readerCount(v); k++) {
                read |= (nodes >> problem.reader(v, k) & 1) == 1;
            }
        }
        return read;
    }

    private static boolean inPlace(RematProblem problem, int ran, int value) {
        int node = problem.producer(value);
        int old = problem.inPlaceOf(value) == ProblemValue.NONE ? -1 : problem.storage(problem.inPlaceOf(value));
        if (old < 0
                || problem.resident(old)
                || problem.bytes(old) != problem.bytes(value)
                || readBy(problem, old, ~ran & ~(1 << node))) {
            return false;
        }
        for (int v = problem.firstResult(node); v < value; v++) {
            int other = problem.inPlaceOf(v) == ProblemValue.NONE ? -1 : problem.storage(problem.inPlaceOf(v));
            if (other == old && problem.bytes(v) == problem.bytes(value)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void isTheBestOfAllOrdersWhereEachValueHasOneReader() {
        int better = 0;
        for (int seed = 1; seed <= 4_000; seed++) {
            RematProblem problem = SeriesParallelGraphs.of(3 + seed % 8, false, seed);
            Found found = find(problem);
            assertThat(found.peakBytes()).as("seed %d", seed).isEqualTo(peak(problem, found.order()));
            assertThat(found.peakBytes()).as("seed %d", seed).isEqualTo(leastPeak(problem));
            assertThat(found.proven()).as("seed %d", seed).isTrue();
            better += found.peakBytes() < peak(problem, given(problem)) ? 1 : 0;
        }
        assertThat(better).as("graphs with a better order than the given one").isGreaterThan(1_000);
    }

    @Test
    void knowsWhetherItIsTheBestWhereReadersShareAValue() {
        int best = 0;
        int proven = 0;
        for (int seed = 1; seed <= 4_000; seed++) {
            RematProblem problem = SeriesParallelGraphs.of(3 + seed % 8, true, seed);
            Found found = find(problem);
            long least = leastPeak(problem);
            assertThat(found.peakBytes()).as("seed %d", seed).isEqualTo(peak(problem, found.order()));
            assertThat(found.leastBytes()).as("seed %d", seed).isLessThanOrEqualTo(least);
            assertThat(found.peakBytes()).as("seed %d", seed).isGreaterThanOrEqualTo(least);
            best += found.peakBytes() == least ? 1 : 0;
            proven += found.proven() ? 1 : 0;
        }
        assertThat(best).as("graphs whose best order is found").isBetween(3_900, 3_999);
        assertThat(proven).as("graphs whose order is known to be the best").isBetween(3_000, 3_999);
    }

    @Test
    void provesNothingOfOtherGraphs() {
        for (int seed = 1; seed <= 20; seed++) {
            RematProblem problem = SeriesParallelGraphs.withoutOrder(seed);
            Found found = find(problem);
            assertThat(found.peakBytes()).isEqualTo(peak(problem, found.order()));
            assertThat(found.leastBytes()).isZero();
        }
        RematProblem irregular = IrregularGraphs.of(100, 3);
        assertThat(find(irregular).peakBytes())
                .isEqualTo(peak(irregular, find(irregular).order()));
    }

    @Test
    void leavesProblemsWithABackwardAlone() {
        RematProblem problem = Summaries.problem();
        assertThatThrownBy(() -> new OrderByParts(problem, new OrderRules(problem)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
