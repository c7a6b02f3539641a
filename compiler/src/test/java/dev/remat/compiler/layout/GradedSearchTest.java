package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.layout.FoundLayout.Method;
import dev.remat.compiler.layout.LayoutSearch.Outcome;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GradedSearchTest {
    private static final long WORK = 10_000_000;

    private static Outcome run(GradedSearch search, long capacity) {
        return search.run(capacity, WORK, 4 * WORK, () -> false);
    }

    /** A chain of buffers, each of which meets the next; none of their sizes is a multiple of a unit. */
    private static Intervals chain(int count) {
        List<BufferLifetime> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            buffers.add(new BufferLifetime("b", i, i + 2, 1_000_001 + i % 2, 1));
        }
        return Intervals.unrounded(buffers);
    }

    @Test
    void whatTheCoarseFindEndsIt() {
        Intervals chain = chain(50);
        GradedSearch search = new GradedSearch(chain, 3_000_000, 4 * WORK);
        assertThat(run(search, 2_900_000)).isEqualTo(Outcome.FOUND);
        assertThat(search.foundBy()).isEqualTo(Method.COARSE);
        assertThat(chain.height(search.offsets())).isEqualTo(2_000_003);
    }

    @Test
    void whatRoundedSizesDoNotAllowIsFoundByTheComplete() {
        Intervals chain = chain(50);
        GradedSearch search = new GradedSearch(chain, 3_000_000, 4 * WORK);
        assertThat(run(search, 2_000_003)).isEqualTo(Outcome.FOUND);
        assertThat(search.foundBy()).isEqualTo(Method.COMPLETE);
    }

    @Test
    void onlyTheCompleteProvesThatThereIsNone() {
        GradedSearch search = new GradedSearch(chain(50), 3_000_000, 4 * WORK);
        assertThat(run(search, 2_000_002)).isEqualTo(Outcome.IMPOSSIBLE);
        assertThat(search.offsets()).isNull();
    }

    @Test
    void thereIsNoneWhereNoneIsAffordable() {
        assertThat(new GradedSearch(chain(50), 3_000_000, 4 * WORK).isEmpty()).isFalse();
        assertThat(new GradedSearch(chain(50), 3_000_000, 1).isEmpty()).isTrue();
    }

    /** Which a coarse search would take as long for. */
    @Test
    void thousandsOfLargeOnesAreSearchedForByTheCompleteAlone() {
        GradedSearch search = new GradedSearch(chain(2500), 3_000_000, 20 * WORK);
        assertThat(run(search, 2_900_000)).isEqualTo(Outcome.FOUND);
        assertThat(search.foundBy()).isEqualTo(Method.COMPLETE);
    }
}
