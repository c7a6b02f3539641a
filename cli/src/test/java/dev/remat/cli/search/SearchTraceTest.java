package dev.remat.cli.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.ir.plan.OperatorSequence;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SearchTraceTest {
    private static final long KIB = 1024;

    private final List<String> told = new ArrayList<>();
    private long nanos;
    private final SearchTrace trace = new SearchTrace(() -> nanos);
    private final SearchListener listener = trace.following(told::add);

    /** Of a step that costs 1000 without recomputation. */
    private static Proposal proposal(String strategy, long peakBytes, long cost) {
        return new Proposal(
                new OperatorSequence(strategy, new int[] {0}, List.of()),
                new SequenceEvaluation(peakBytes, 0, new long[1], cost, 1000, 1, List.of()));
    }

    private List<String> lines() {
        return trace.lines().stream()
                .map(line -> line.seconds() + " s " + line.who() + " " + line.overhead() + " " + line.what())
                .toList();
    }

    @Test
    void tellsWhatIsBetterThanAllBefore() {
        listener.within(100 * KIB);
        nanos = 1_500_000_000;
        listener.found(proposal("sqrt", 90 * KIB, 1200));
        listener.found(proposal("revolve", 80 * KIB, 1300));
        listener.found(proposal("speed", 101 * KIB, 1100));
        listener.measured(proposal("min-cut", 95 * KIB, 1150), 104 * KIB);
        listener.measured(proposal("sqrt", 90 * KIB, 1200), 96 * KIB);
        assertThat(lines())
                .containsExactly(
                        "1.5 s sqrt 20.00 % ",
                        "1.5 s min-cut 15.00 % ",
                        "1.5 s min-cut 15.00 % takes 104 KiB, 4.00 KiB over the budget",
                        "1.5 s sqrt 20.00 % takes 96.0 KiB, within the budget");
    }

    @Test
    void tellsOfAPlanOnceForABudget() {
        listener.within(100 * KIB);
        listener.measured(proposal("sqrt", 90 * KIB, 1200), 96 * KIB);
        listener.within(100 * KIB);
        listener.measured(proposal("sqrt", 90 * KIB, 1200), 96 * KIB);
        listener.within(98 * KIB);
        listener.measured(proposal("sqrt", 90 * KIB, 1200), 96 * KIB);
        listener.measured(proposal("sqrt", 90 * KIB, 1200), 97 * KIB);
        assertThat(lines())
                .containsExactly(
                        "0.0 s sqrt 20.00 % ",
                        "0.0 s sqrt 20.00 % takes 96.0 KiB, within the budget",
                        "0.0 s sqrt 20.00 % ",
                        "0.0 s sqrt 20.00 % takes 96.0 KiB, within the budget",
                        "0.0 s sqrt 20.00 % takes 97.0 KiB, within the budget");
    }

    @Test
    void tellsHigherBounds() {
        listener.within(100 * KIB);
        listener.found(proposal("sqrt", 90 * KIB, 1200));
        listener.proved(new LowerBound(1000, BoundScope.ANY_ORDER));
        listener.proved(new LowerBound(1120, BoundScope.GIVEN_ORDER));
        listener.proved(new LowerBound(1050, BoundScope.ANY_ORDER));
        listener.proved(new LowerBound(1110, BoundScope.GIVEN_ORDER));
        assertThat(lines())
                .containsExactly(
                        "0.0 s sqrt 20.00 % ",
                        "0.0 s bound 12.00 % no plan costs less: given-order",
                        "0.0 s bound 5.00 % no plan costs less: any-order");
    }

    /** Only bounds of any order say what a search that may take other orders could save. */
    @Test
    void saysWhatIsFoundAndWhatMoreMaySave() {
        listener.trying("planning by sqrt");
        listener.within(100 * KIB);
        listener.measured(proposal("sqrt", 90 * KIB, 1200), 96 * KIB);
        listener.proved(new LowerBound(1120, BoundScope.GIVEN_ORDER));
        listener.proved(new LowerBound(1050, BoundScope.ANY_ORDER));
        listener.trying("planning by auto");
        listener.proved(new LowerBound(1200, BoundScope.ANY_ORDER));
        listener.trying("the end");
        assertThat(told)
                .containsExactly(
                        "planning by sqrt",
                        "planning by auto, have 20.00 %, of which more search may save 15.00 points at most",
                        "the end, have 20.00 %, which nothing beats");
    }

    @Test
    void isEmptyWhereNothingIsSearchedForABudget() {
        listener.found(proposal("sqrt", 90, 1200));
        listener.measured(proposal("keep-all", 90, 1000), 90);
        assertThat(trace.lines()).isEmpty();
    }
}
