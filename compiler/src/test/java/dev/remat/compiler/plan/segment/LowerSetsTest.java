package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LowerSetsTest {
    private static List<Integer> chain(RematProblem problem, long limit) {
        ForwardGraph graph = ForwardGraph.of(problem, Retention.required(problem));
        SegmentBytes bytes = SegmentBytes.of(graph, Chains.eachNode(graph, 1));
        return Arrays.stream(LowerSets.chain(bytes, limit).toArray()).boxed().toList();
    }

    /**
     * f1 costs 90 and has 2 bytes: the best boundary. Within 14 bytes the sets {f0 f1} of 7 bytes and, beside the 2
     * that are kept of it, {f2 f3 f4} of 11 fit; f0 alone runs again, for 3. All 18 bytes at once need a limit of 18.
     */
    @Test
    void keepsTheBoundaryThatIsDearAndNarrow() {
        RematProblem problem = Chains.of(new long[] {5, 2, 4, 4, 3}, new long[] {3, 90, 6, 7, 8});
        assertThat(chain(problem, 14)).containsExactly(2);
        assertThat(chain(problem, 18)).isEmpty();
        assertThat(chain(problem, 13)).containsExactly(2);
        assertThat(chain(problem, 4)).isEmpty();
    }

    @Test
    void isTheCheapestOfAllChains() {
        SplittableRandom random = new SplittableRandom(3);
        for (int trial = 0; trial < 200; trial++) {
            int length = 2 + random.nextInt(8);
            long[] sizes = random.longs(length, 1, 10).toArray();
            long[] costs = random.longs(length, 1, 20).toArray();
            long limit = 5 + random.nextInt(40);
            long best = Long.MAX_VALUE;
            for (int choice = 0; choice < 1 << length - 1; choice++) {
                best = Math.min(best, recomputed(sizes, costs, cuts(choice, length), limit));
            }
            List<Integer> found = chain(Chains.of(sizes, costs), limit);
            long cost = recomputed(sizes, costs, found, limit);
            if (best == Long.MAX_VALUE) {
                assertThat(found).isEmpty();
            } else {
                // Costs are rounded up set by set to less than 1, since all of them add up to less than 200.
                assertThat(cost).as("trial %d", trial).isBetween(best, best + length);
            }
        }
    }

    private static List<Integer> cuts(int choice, int length) {
        List<Integer> cuts = new ArrayList<>();
        for (int p = 1; p < length; p++) {
            if ((choice >> p - 1 & 1) == 1) {
                cuts.add(p);
            }
        }
        return cuts;
    }

    /** Cost of all but the last set and the boundaries; the largest long where a set does not fit. */
    private static long recomputed(long[] sizes, long[] costs, List<Integer> cuts, long limit) {
        long kept = 0;
        long sum = 0;
        int begin = 0;
        for (int i = 0; i <= cuts.size(); i++) {
            int end = i < cuts.size() ? cuts.get(i) : sizes.length;
            if (kept + Arrays.stream(sizes, begin, end).sum() > limit) {
                return Long.MAX_VALUE;
            }
            sum += i < cuts.size() ? Arrays.stream(costs, begin, end - 1).sum() : 0;
            kept += sizes[end - 1];
            begin = end;
        }
        return sum;
    }
}
