package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentsTest {
    private static List<String> retained(RematProblem problem, int segments) {
        return Chains.retained(problem, new Segments(segments), PlannerOptions.none());
    }

    @Test
    void cutNineEqualValuesIntoThrees() {
        assertThat(retained(Chains.ofSizes(9, 9, 9, 9, 9, 9, 9, 9, 9), 3))
                .containsExactly(
                        "f2 segment-boundary",
                        "f5 segment-boundary",
                        "f6 last-segment",
                        "f7 last-segment",
                        "f8 last-segment");
    }

    /** Half of the bytes lie in f0; of the narrow values right after it, that of f1 is the nearest. */
    @Test
    void balanceBytesAndNotNodes() {
        assertThat(retained(Chains.ofSizes(40, 5, 5, 5, 5, 5, 5, 5, 5), 2))
                .startsWith("f1 segment-boundary", "f2 last-segment");
    }

    @Test
    void cutNearTheBalanceWhereLeastCrosses() {
        assertThat(retained(Chains.ofSizes(20, 20, 20, 4, 20, 20, 20), 2)).startsWith("f3 segment-boundary");
    }

    @Test
    void oneSegmentRecomputesNothing() {
        RematProblem problem = Chains.ofSizes(5, 5, 5);
        OperatorSequence sequence = new Segments(1).plan(problem, PlannerOptions.none());
        assertThat(sequence.sameSteps(new KeepAll().plan(problem, PlannerOptions.none())))
                .isTrue();
    }

    @Test
    void neverCutAfterWhatIsPinnedToBeRecomputed() {
        List<Pin> pins = new ArrayList<>(List.of(Pin.NONE, Pin.NONE, Pin.NONE, Pin.RECOMPUTE, Pin.NONE, Pin.NONE));
        RematProblem free = Chains.ofSizes(8, 8, 8, 8, 8, 8);
        while (pins.size() < free.nodeCount()) {
            pins.add(Pin.NONE);
        }
        assertThat(retained(free, 2)).startsWith("f2 segment-boundary");
        assertThat(retained(free.withPins(pins), 2))
                .startsWith("f2 segment-boundary")
                .doesNotContain("f3 last-segment");
        pins.set(2, Pin.RECOMPUTE);
        assertThat(retained(free.withPins(pins), 2)).noneMatch(kept -> kept.startsWith("f2") || kept.startsWith("f3"));
    }

    @Test
    void needAtLeastOne() {
        assertThatThrownBy(() -> new Segments(0)).hasMessageContaining("at least one");
    }
}
