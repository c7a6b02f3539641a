package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompleteSearchTest {
    /** One that lives throughout, and of each step one that lives there and at the next. */
    private static Intervals chain(int steps) {
        List<BufferLifetime> buffers = new ArrayList<>(List.of(new BufferLifetime("all", 0, steps + 1, 8, 1)));
        for (int t = 0; t < steps; t++) {
            buffers.add(new BufferLifetime("b" + t, t, t + 2, 8, 1));
        }
        return Intervals.of(buffers);
    }

    /** One buffer at the first and at the last step, two at each between; the first of all is not counted. */
    @Test
    void countsThePairsOfBuffersThatComeAndGo() {
        assertThat(chain(10).squaresOfCounts()).isEqualTo(1 + 9 * 4 + 1);
        assertThat(Intervals.of(List.of(new BufferLifetime("all", 0, 5, 8, 1))).squaresOfCounts())
                .isZero();
    }

    @Test
    void isMadeWhereGoingStraightForALayoutTakesNoMoreThanAllThatItMay() {
        Intervals chain = chain(1000);
        long straight = (1 + 999 * 4 + 1) / 8;
        assertThat(CompleteSearch.affordable(chain, straight)).isTrue();
        assertThat(CompleteSearch.affordable(chain, straight - 1)).isFalse();
    }

    /** The first attempt goes straight, and is ended though nothing has failed. */
    @Test
    void endsOnItsWayWhereThatTakesMore() {
        Intervals chain = chain(1000);
        long height = chain.largestLiveSum();
        CompleteSearch ended = new CompleteSearch(chain);
        assertThat(ended.run(height, 1, 100, () -> false)).isEqualTo(LayoutSearch.Outcome.UNKNOWN);
        assertThat(new CompleteSearch(chain).run(height, 1, Long.MAX_VALUE / 2, () -> false))
                .isEqualTo(LayoutSearch.Outcome.FOUND);
    }
}
