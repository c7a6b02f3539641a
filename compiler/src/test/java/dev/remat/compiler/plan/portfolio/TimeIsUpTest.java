package dev.remat.compiler.plan.portfolio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.LayeredGraphs;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Searches end soon when nobody waits any more, with the best they have. */
@Tag("slow")
class TimeIsUpTest {
    /** What a strategy takes for its first trial on a slow machine; all of its trials take many times that. */
    private static final double MOST_SECONDS = 4;

    private static final RematProblem IRREGULAR = IrregularGraphs.of(3_000, 1);
    private static final RematProblem LAYERED = LayeredGraphs.of(7, 20_000);

    /** Time passes only where it is looked at. */
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

    static Stream<String> strategies() {
        return Strategies.names().stream().map(name -> name.replace("=K", "=40"));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void endsSoonOnManyLayers(String name) {
        endsSoon(LAYERED, name);
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void endsSoonOnIrregularGraphs(String name) {
        endsSoon(IRREGULAR, name);
    }

    private static void endsSoon(RematProblem problem, String name) {
        PlannerOptions half = PlannerOptions.withBudget(keepAll(problem).peakBytes() / 2);
        for (int ends : new int[] {0, 3}) {
            Clock clock = new Clock(new AtomicInteger(), ends);
            long begin = System.nanoTime();
            OperatorSequence found = Strategies.named(name).plan(problem, half.telling(clock));
            double seconds = (System.nanoTime() - begin) / 1e9;
            assertThat(SequenceEvaluator.evaluate(problem, found).valid()).isTrue();
            assertThat(seconds).as("after looking %d times", ends).isLessThan(MOST_SECONDS);
        }
    }

    /** What was found before counts. */
    @Test
    void keepsTheBestSoFar() {
        RematProblem problem = LayeredGraphs.of(7, 150);
        Planner planner = Strategies.named("peak-priority");
        PlannerOptions most = PlannerOptions.withBudget(keepAll(problem).peakBytes() * 3 / 4);
        assertThat(peak(problem, planner, most, 0))
                .isGreaterThan(most.budgetBytes().orElseThrow());
        assertThat(peak(problem, planner, most, 40))
                .isLessThanOrEqualTo(most.budgetBytes().orElseThrow());
    }

    private static long peak(RematProblem problem, Planner planner, PlannerOptions options, int ends) {
        OperatorSequence found = planner.plan(problem, options.telling(new Clock(new AtomicInteger(), ends)));
        return SequenceEvaluator.evaluate(problem, found).peakBytes();
    }

    private static SequenceEvaluation keepAll(RematProblem problem) {
        return SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, PlannerOptions.none()));
    }
}
