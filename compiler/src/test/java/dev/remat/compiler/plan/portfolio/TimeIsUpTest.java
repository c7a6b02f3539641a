package dev.remat.compiler.plan.portfolio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.LayeredGraphs;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Strategies that try many things end between two of them when nobody waits any more, with the best they have. */
class TimeIsUpTest {
    private final RematProblem problem = LayeredGraphs.of(7, 150);
    private final long budget = SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                    .peakBytes()
            / 2;

    /** Counts how often it is asked, and says yes from some time on. */
    private record Clock(AtomicInteger asked, int ends) implements SearchListener {
        @Override
        public void trying(String what) {}

        @Override
        public boolean expired() {
            return asked.incrementAndGet() > ends;
        }

        @Override
        public SearchListener withoutProofs() {
            return this;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"peak-priority", "min-cut", "auto"})
    void endsSoonAfter(String name) {
        Planner planner = Strategies.named(name);
        Clock endless = new Clock(new AtomicInteger(), Integer.MAX_VALUE);
        planner.plan(problem, PlannerOptions.withBudget(budget).telling(endless));
        assertThat(endless.asked().get()).as("asked without a limit").isGreaterThan(20);

        Clock brief = new Clock(new AtomicInteger(), 4);
        OperatorSequence found =
                planner.plan(problem, PlannerOptions.withBudget(budget).telling(brief));
        assertThat(SequenceEvaluator.evaluate(problem, found).valid()).isTrue();
        assertThat(brief.asked().get())
                .as("asked after the limit")
                .isLessThan(endless.asked().get() / 2);
    }
}
