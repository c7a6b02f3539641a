package dev.remat.runtime.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StageMemoryTest {
    private final StageMemory memory = new StageMemory(3);
    private final List<Transport> stages = memory.transports();

    private static MemorySegment bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int k = 0; k < values.length; k++) {
            bytes[k] = (byte) values[k];
        }
        return MemorySegment.ofArray(bytes);
    }

    /** Whoever comes first; messages of other stages do not mix. */
    @Test
    void messagesOfTwoStagesComeInTheirOrder() {
        MemorySegment first = bytes(0, 0);
        MemorySegment second = bytes(0);
        MemorySegment other = bytes(0);
        Transport.Begun early = stages.get(1).receive(first, 0);
        stages.get(2).send(bytes(9), 1);
        stages.get(0).send(bytes(1, 2), 1);
        stages.get(0).send(bytes(3), 1);
        stages.get(1).receive(second, 0).end();
        early.end();
        stages.get(1).receive(other, 2).end();
        assertThat(first.mismatch(bytes(1, 2))).isEqualTo(-1);
        assertThat(second.mismatch(bytes(3))).isEqualTo(-1);
        assertThat(other.mismatch(bytes(9))).isEqualTo(-1);
    }

    @Test
    void nobodyWaitsForWhoHasStopped() {
        Transport.Begun before = stages.get(1).receive(bytes(0), 0);
        memory.stop(new IllegalStateException("broken"));
        Transport.Begun after = stages.get(2).send(bytes(0), 1);
        assertThatThrownBy(before::end)
                .isInstanceOf(RankLostException.class)
                .hasMessage("stage 1 waits for one that has stopped: broken");
        assertThatThrownBy(after::end).isInstanceOf(RankLostException.class);
        memory.begin(0);
        MemorySegment taken = bytes(0);
        stages.get(2).send(bytes(7), 1);
        stages.get(1).receive(taken, 2).end();
        assertThat(taken.mismatch(bytes(7))).isEqualTo(-1);
    }

    @Test
    void whoAskedIsToldWhenAMessageIsThereOrWillNotCome() {
        AtomicInteger told = new AtomicInteger();
        stages.get(1).receive(bytes(0), 0).whenEnded(told::incrementAndGet);
        stages.get(1).receive(bytes(0), 2).whenEnded(told::incrementAndGet);
        assertThat(told).hasValue(0);
        Transport.Begun sent = stages.get(0).send(bytes(1), 1);
        assertThat(told).hasValue(1);
        sent.whenEnded(told::incrementAndGet);
        assertThat(told).hasValue(2);
        memory.stop(new IllegalStateException("broken"));
        assertThat(told).hasValue(3);
    }
}
