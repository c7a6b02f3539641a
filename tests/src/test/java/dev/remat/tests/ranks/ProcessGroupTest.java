package dev.remat.tests.ranks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.ProcessStoppedException;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessGroupTest {
    private static final int RANKS = 3;

    private interface Step {
        Transport.Begun run(Transport transport, MemorySegment own, MemorySegment all);
    }

    /** What ranks have in the end that send {@code 10·rank + 1, 10·rank + 2, …}. */
    private static List<Object> exchange(int sent, int received, Step step) throws Exception {
        return Processes.run(RANKS, group -> {
            MemorySegment own = Arena.ofAuto().allocate(sent);
            for (int i = 0; i < sent; i++) {
                own.set(ValueLayout.JAVA_BYTE, i, (byte) (10 * group.rank() + i + 1));
            }
            MemorySegment all = Arena.ofAuto().allocate(received);
            all.fill((byte) -1);
            step.run(group.transport(), own, all).end();
            return Arrays.toString(all.toArray(ValueLayout.JAVA_BYTE));
        });
    }

    @Test
    void allGetWhatEachHas() throws Exception {
        assertThat(exchange(2, 6, Transport::gather)).hasSize(RANKS).containsOnly("[1, 2, 11, 12, 21, 22]");
    }

    @Test
    void eachGetsItsShareAndZerosBehindTheEnd() throws Exception {
        assertThat(exchange(5, 6, Transport::scatter))
                .containsExactly("[1, 2, 11, 12, 21, 22]", "[3, 4, 13, 14, 23, 24]", "[5, 0, 15, 0, 25, 0]");
        assertThat(exchange(2, 6, Transport::scatter))
                .containsExactly("[1, 2, 11, 12, 21, 22]", "[0, 0, 0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0]");
    }

    @Test
    void allAnswerAlike() throws Exception {
        assertThat(Processes.run(RANKS, group -> group.any(group.rank() == 2) + " " + group.any(false)))
                .hasSize(RANKS)
                .containsOnly("true false");
        assertThat(Processes.run(RANKS, group -> said(group) + "; first " + text(group.ofFirst(own(group)))))
                .hasSize(RANKS)
                .containsOnly(", r, rr; first ");
    }

    /** A text of another length for each, nothing among them. */
    private static byte[] own(ProcessGroup group) {
        return "r".repeat(group.rank()).getBytes(UTF_8);
    }

    private static String said(ProcessGroup group) {
        return String.join(
                ", ", group.all(own(group)).stream().map(ProcessGroupTest::text).toList());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    @Test
    void whatStopsOneStopsAllThatWaitForIt() throws Exception {
        List<Object> ends = Processes.run(RANKS, group -> {
            if (group.rank() == 1) {
                TimeUnit.MILLISECONDS.sleep(200);
                throw new IllegalStateException("out of paper");
            }
            return group.any(true);
        });
        assertThat(ends.get(1)).isInstanceOf(IllegalStateException.class);
        for (int other : new int[] {0, 2}) {
            assertThat(ends.get(other)).isInstanceOf(ProcessStoppedException.class);
            assertThat(((ProcessStoppedException) ends.get(other)).why().rank()).isEqualTo(1);
            assertThat(((ProcessStoppedException) ends.get(other)).why().text()).isEqualTo("out of paper");
        }
    }
}
