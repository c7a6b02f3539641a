package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkBoundTest {
    /** Each node reads half of all that stand in front of it: a quarter of a million edges. */
    private static RematProblem dense() {
        int count = 1_000;
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            int node = n;
            nodes.add(ProblemNode.of("n" + n, Role.FORWARD)
                    .withCost(1 + n % 7)
                    .withInputs(IntStream.range(0, n)
                            .filter(other -> (other + node) % 2 == 0 || other == node - 1)
                            .toArray())
                    .withResult(ProblemValue.of("n" + n, 1 + n % 5)));
        }
        return RematProblem.of("dense", nodes, List.of(count - 1));
    }

    @Test
    void appliesToLargeProblemsWithLittleEffort() {
        PlannerOptions quick = PlannerOptions.withBudget(100).with(Effort.QUICK);
        RematProblem dense = dense();
        assertThat(WorkBound.pass(Chains.equal(3))).isLessThan(20);
        assertThat(WorkBound.pass(dense)).isBetween(250_000L, 260_000L);
        assertThat(WorkBound.applies(dense, quick)).isTrue();
        assertThat(WorkBound.applies(dense, quick.with(Effort.NORMAL))).isFalse();
        assertThat(WorkBound.applies(Chains.equal(100), quick)).isFalse();
        assertThat(WorkBound.on(Chains.equal(100), quick)).isSameAs(quick);
    }

    @Test
    void endsAfterSoMuchWorkAndTellsWhoFollows() {
        AtomicLong told = new AtomicLong();
        PlannerOptions quick = PlannerOptions.withBudget(100).with(Effort.QUICK).telling(new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public void worked(long amount) {
                told.addAndGet(amount);
            }
        });
        SearchListener bounded = WorkBound.on(dense(), quick).listener();
        bounded.worked(3_999_999);
        assertThat(bounded.expired()).isFalse();
        assertThat(bounded.withoutProofs().expired()).isFalse();
        bounded.withoutProofs().worked(1);
        assertThat(bounded.expired()).isTrue();
        assertThat(bounded.halfOfRest().expired()).isTrue();
        assertThat(told.get()).isEqualTo(4_000_000);
    }

    /** Where all strategies are tried in many ways, eviction in a dense graph takes hundreds of times as much. */
    @Test
    void endsEvictionInADenseGraph() {
        RematProblem dense = dense();
        long all = Proposal.of(dense, new KeepAll().plan(dense, PlannerOptions.none()))
                .evaluation()
                .peakBytes();
        AtomicLong told = new AtomicLong();
        PlannerOptions quick = PlannerOptions.withBudget(all * 9 / 10)
                .with(Effort.QUICK)
                .telling(new SearchListener() {
                    @Override
                    public void trying(String what) {}

                    @Override
                    public void worked(long amount) {
                        told.addAndGet(amount);
                    }
                });
        Proposal found = Proposal.of(dense, new PeakPriority().plan(dense, WorkBound.on(dense, quick)));
        assertThat(found.evaluation().valid()).isTrue();
        assertThat(told.get()).isBetween(4_000_000L, 6_000_000L);
    }
}
