package dev.remat.compiler.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.RematProblem;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A search that is ended early has a plan, and more time never makes it worse. */
@Tag("slow")
class SoonFoundTest {
    /** Time passes only where it is looked at: after some thousand moves, or after a million steps of other work. */
    private record Clock(AtomicInteger asked, int ends) implements SearchListener {
        @Override
        public void trying(String what) {}

        @Override
        public boolean expired() {
            return asked.incrementAndGet() > ends;
        }
    }

    private static Choice<MeasuredPlan> found(RematProblem problem, double share, int ends) {
        return new BudgetSearch<>(new GraphSubject(problem), Effort.FULL, new Clock(new AtomicInteger(), ends))
                .run(Optional.of(Strategies.auto()), Optional.of(new Budget.Share(share)));
    }

    @Test
    void fitsAfterAFewLooksAtTheClock() {
        RematProblem problem = IrregularGraphs.narrow(200, 2);
        long before = Long.MAX_VALUE;
        for (int ends : new int[] {100, 400}) {
            long cost = found(problem, 0.8, ends).plan().evaluation().cost();
            assertThat(cost).as("%d looks", ends).isLessThanOrEqualTo(before);
            before = cost;
        }
    }
}
