package dev.remat.runtime.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedMemoryTest {
    private static final int RANKS = 3;

    private final ExecutorService threads = Executors.newFixedThreadPool(RANKS);
    private final SharedMemory shared = new SharedMemory(RANKS);

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    private interface Step {
        Transport.Begun run(Transport transport, MemorySegment own, MemorySegment all);
    }

    /** What ranks have in the end that send {@code 10·rank + 1, 10·rank + 2, …}. */
    private List<String> exchange(int sent, int received, Step step) throws Exception {
        List<Future<String>> ends = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            byte[] own = new byte[sent];
            for (int i = 0; i < sent; i++) {
                own[i] = (byte) (10 * rank + i + 1);
            }
            Transport transport = shared.transports().get(rank);
            ends.add(threads.submit(() -> {
                byte[] all = new byte[received];
                Arrays.fill(all, (byte) -1);
                step.run(transport, MemorySegment.ofArray(own), MemorySegment.ofArray(all))
                        .end();
                return Arrays.toString(all);
            }));
        }
        List<String> found = new ArrayList<>();
        for (Future<String> end : ends) {
            found.add(end.get());
        }
        return found;
    }

    @Test
    void allGetWhatEachHas() throws Exception {
        assertThat(exchange(2, 6, Transport::gather)).containsOnly("[1, 2, 11, 12, 21, 22]");
    }

    /** Five bytes in shares of two: the last is half zeros. */
    @Test
    void eachGetsItsShareOfAll() throws Exception {
        assertThat(exchange(5, 6, Transport::scatter))
                .containsExactly("[1, 2, 11, 12, 21, 22]", "[3, 4, 13, 14, 23, 24]", "[5, 0, 15, 0, 25, 0]");
    }

    /** Two are on their way at once, and end one behind the other. */
    @Test
    void severalAreUnderWay() throws Exception {
        assertThat(exchange(2, 6, (transport, own, all) -> {
                    MemorySegment first = segment(6);
                    Transport.Begun gathers = transport.gather(own, first);
                    Transport.Begun scatters = transport.scatter(first, all);
                    return () -> {
                        gathers.end();
                        scatters.end();
                    };
                }))
                .containsExactly("[1, 2, 1, 2, 1, 2]", "[11, 12, 11, 12, 11, 12]", "[21, 22, 21, 22, 21, 22]");
    }

    /** Two bytes in shares of two: others than the first get zeros alone. */
    @Test
    void sharesBehindTheEndAreZeros() throws Exception {
        assertThat(exchange(2, 6, Transport::scatter))
                .containsExactly("[1, 2, 11, 12, 21, 22]", "[0, 0, 0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0]");
    }

    /** Whoever sends may overwrite it as soon as the call returns, however late others come. */
    @Test
    void whatIsSentIsTakenBeforeTheSenderGoesOn() throws Exception {
        for (int round = 0; round < 200; round++) {
            shared.begin(0);
            assertThat(exchange(1, 3, (transport, own, all) -> () -> {
                        transport.gather(own, all).end();
                        own.set(ValueLayout.JAVA_BYTE, 0, (byte) 99);
                    }))
                    .containsOnly("[1, 11, 21]");
        }
    }

    /** The third never comes. */
    @Test
    void nobodyWaitsForWhoHasStopped() {
        Future<?> waiting = threads.submit(() ->
                shared.transports().getFirst().gather(segment(1), segment(3)).end());
        shared.stop(new IllegalStateException("out of data"));
        assertThatThrownBy(waiting::get)
                .hasCauseInstanceOf(RankLostException.class)
                .hasMessageContaining("rank 0 waits for one that has stopped: out of data");
    }

    @Test
    void aRankThatIsAloneExchangesNothing() {
        assertThatThrownBy(() -> Transport.NONE.scatter(segment(1), segment(2)))
                .isInstanceOf(IllegalStateException.class);
    }

    private static MemorySegment segment(int bytes) {
        return MemorySegment.ofArray(new byte[bytes]);
    }
}
