package dev.remat.compiler.known;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.plan.RetainedValue;
import dev.remat.ir.plan.SequenceStep;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class KnownPlanBytesTest {
    private static KnownPlan plan(OptionalLong budget, BoundScope scope) {
        int[] steps = {0, new SequenceStep.Store(3, 1).code(), 2, new SequenceStep.Fetch(3).code(), 0};
        List<RetainedValue> retained =
                List.of(new RetainedValue(3, RetainReason.PIN), new RetainedValue(5, RetainReason.CHOSEN));
        return new KnownPlan(
                "ab",
                true,
                new OperatorSequence("segments=7", steps, retained),
                1L << 40,
                List.of(List.of(0L, 256L, 1L << 35), List.of()),
                77,
                budget,
                99,
                55,
                new LowerBound(1 << 20, scope),
                3);
    }

    @Test
    void readsBackWhatWasWritten() {
        for (KnownPlan plan : List.of(
                plan(OptionalLong.of(88), BoundScope.givenOrder(3)),
                plan(OptionalLong.empty(), BoundScope.ANY_ORDER),
                // What its text would not tell.
                plan(OptionalLong.of(0), new BoundScope(true, false, 2)))) {
            KnownPlan read = KnownPlanBytes.read(KnownPlanBytes.write(plan));
            assertThat(read).usingRecursiveComparison().isEqualTo(plan);
            assertThat(read.sequence().sameSteps(plan.sequence())).isTrue();
        }
    }

    @Test
    void refusesWhatIsCutOrGoesOn() {
        byte[] whole = KnownPlanBytes.write(plan(OptionalLong.of(88), BoundScope.ANY_ORDER));
        for (int length = 0; length <= whole.length + 1; length++) {
            byte[] other = Arrays.copyOf(whole, length);
            if (length != whole.length) {
                assertThatThrownBy(() -> KnownPlanBytes.read(other)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    /** A count that is larger than the file must not be believed before memory is asked for. */
    @Test
    void refusesAnyDamageOrReadsOnePlan() {
        byte[] whole = KnownPlanBytes.write(plan(OptionalLong.of(88), BoundScope.ANY_ORDER));
        int refused = 0;
        for (int i = 0; i < whole.length; i++) {
            byte[] other = whole.clone();
            other[i] ^= (byte) 0xff;
            try {
                KnownPlanBytes.read(other);
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(20);
    }
}
