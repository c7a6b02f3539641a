package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswersTest {
    private record Asked(int budget) {}

    private static final SearchListener LATE = new SearchListener() {
        @Override
        public void trying(String what) {}

        @Override
        public boolean expired() {
            return true;
        }
    };

    private final RematProblem problem = Chains.ofSizes(10, 10, 10, 10);
    private final Answers answers = new Answers();
    private int trials;

    private void ask(RematProblem of, int budget, SearchListener listener) {
        answers.of(of, new Asked(budget), listener, () -> {
            trials++;
            return List.of(Proposal.of(of, new KeepAll().plan(of, PlannerOptions.none())));
        });
    }

    @Test
    void nothingIsTriedTwice() {
        ask(problem, 1, SearchListener.NONE);
        ask(problem, 1, SearchListener.NONE);
        assertThat(trials).isEqualTo(1);
    }

    @Test
    void otherQuestionsAreOfTheirOwn() {
        ask(problem, 1, SearchListener.NONE);
        ask(problem, 2, SearchListener.NONE);
        ask(Chains.ofSizes(10, 10, 10, 10), 1, SearchListener.NONE);
        assertThat(trials).isEqualTo(3);
    }

    @Test
    void whatTimeEndedIsNoAnswer() {
        ask(problem, 1, LATE);
        ask(problem, 1, SearchListener.NONE);
        assertThat(trials).isEqualTo(2);
    }

    /** A step fits 34 bytes once something is computed again, and 12 never: a layer reads ten and makes ten. */
    @Test
    void whatWasFoundBeforeChangesNoAnswer() {
        PlannerOptions together = PlannerOptions.none();
        for (long budget : new long[] {62, 34, 12, 34}) {
            assertThat(steps(together.within(budget)))
                    .as("%d bytes", budget)
                    .isEqualTo(steps(PlannerOptions.withBudget(budget)));
        }
        assertThat(steps(together)).isEqualTo(steps(PlannerOptions.none()));
        assertThat(fits(62)).isTrue();
        assertThat(fits(34)).isTrue();
        assertThat(fits(12)).as("so that limits are tried from the floor up").isFalse();
        assertThat(steps(PlannerOptions.withBudget(62))).isNotEqualTo(steps(PlannerOptions.withBudget(34)));
    }

    private boolean fits(long budget) {
        PlannerOptions within = PlannerOptions.withBudget(budget);
        return Proposal.of(problem, new PeakPriority().plan(problem, within)).fits(within);
    }

    private String steps(PlannerOptions options) {
        return Chains.steps(problem, new PeakPriority().plan(problem, options));
    }
}
