package dev.remat.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.process.ControlServer.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ControlTest {
    private static final long BEAT_MILLIS = 20;
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static final ProcessGrid GRID = new ProcessGrid(1, 3);

    private final BlockingQueue<Stop> first = new LinkedBlockingQueue<>();
    private final BlockingQueue<Stop> second = new LinkedBlockingQueue<>();
    private final BlockingQueue<Stop> third = new LinkedBlockingQueue<>();
    private ControlServer server;

    @BeforeEach
    void listen() throws IOException {
        listen(Duration.ZERO);
    }

    private void listen(Duration together) throws IOException {
        server = new ControlServer(
                InetAddress.getLoopbackAddress(),
                1,
                GRID,
                List.of("a", "b", "c"),
                Meeting.newToken(),
                new Patience(SILENCE, SILENCE, together, Duration.ofMinutes(1)),
                first::add);
    }

    @AfterEach
    void close() {
        server.leave();
        server.close();
    }

    private ControlClient join(int rank, BlockingQueue<Stop> told) throws IOException {
        return new ControlClient(server.meeting(), GRID, rank, BEAT_MILLIS, SILENCE, told::add);
    }

    private static Stop next(BlockingQueue<Stop> told) throws InterruptedException {
        return told.poll(10, TimeUnit.SECONDS);
    }

    /** Until the server has seen a rank: what it says next is heard. */
    private void settle(ControlClient... clients) throws InterruptedException {
        for (ControlClient client : clients) {
            client.done(7);
        }
        TimeUnit.MILLISECONDS.sleep(25 * BEAT_MILLIS);
    }

    @Test
    void whereNoStepEndsIsSaidWhereAllStand() throws Exception {
        BlockingQueue<String> stalls = new LinkedBlockingQueue<>();
        Control.Listener listener = new Control.Listener() {
            @Override
            public void stopped(Stop why) {
                first.add(why);
            }

            @Override
            public void stalled(String where) {
                stalls.add(where);
            }
        };
        Patience brief = new Patience(SILENCE, SILENCE, Duration.ZERO, Duration.ofSeconds(1));
        try (ControlServer own = new ControlServer(
                        InetAddress.getLoopbackAddress(),
                        1,
                        GRID,
                        List.of("a", "b", "c"),
                        Meeting.newToken(),
                        brief,
                        listener);
                ControlClient b = new ControlClient(own.meeting(), GRID, 1, BEAT_MILLIS, SILENCE, second::add);
                ControlClient c = new ControlClient(own.meeting(), GRID, 2, BEAT_MILLIS, SILENCE, third::add)) {
            own.tells(() -> Optional.of("scattered.bucket.3"));
            b.tells(() -> Optional.of("what rank 2 has to say"));
            settle(b, c);
            assertThat(stalls.poll(10, TimeUnit.SECONDS))
                    .isEqualTo("no step has ended for 1 s: rank 2 computes; rank 0 waits for scattered.bucket.3;"
                            + " rank 1 waits for what rank 2 has to say");
            own.leave();
            assertThat(first).as("nobody stops for that").isEmpty();
        }
    }

    private ControlServer brief(Duration silence) throws IOException {
        return new ControlServer(
                InetAddress.getLoopbackAddress(),
                1,
                GRID,
                List.of("a", "b", "c"),
                Meeting.newToken(),
                new Patience(silence, silence, Duration.ZERO, Duration.ofMinutes(1)),
                first::add);
    }

    /** All join once they have found each other, so that only one that has ended in between is missing. */
    @Test
    void whoDoesNotJoinWithOthersIsLost() throws Exception {
        try (ControlServer own = brief(Duration.ofSeconds(1));
                ControlClient _ = new ControlClient(own.meeting(), GRID, 1, BEAT_MILLIS, SILENCE, second::add)) {
            Stop stop = next(first);
            assertThat(stop.isOfLost()).isTrue();
            assertThat(stop.text()).isEqualTo("rank 2 (c) has said nothing for 1 s since others joined");
            assertThat(next(second)).isEqualTo(stop);
            own.leave();
        }
    }

    /** Which may be the one that has ended first. */
    @Test
    void whoHasNotJoinedIsNamedWithWhoIsLost() throws Exception {
        try (ControlServer own = brief(SILENCE)) {
            ControlClient gone = new ControlClient(own.meeting(), GRID, 1, BEAT_MILLIS, SILENCE, second::add);
            settle(gone);
            gone.close();
            assertThat(next(first).text())
                    .isEqualTo("a rank has ended before all ranks had found each other: rank 1 (b) has ended after"
                            + " step 7, and rank 2 had not joined");
            own.leave();
        }
    }

    /** Whoever starts ranks hears them before they have found each other. */
    @Test
    void whoStartsLateIsNotMissedByAWitness() throws Exception {
        Consumer<Stop> told = first::add;
        try (Witness own = new Witness(GRID, Duration.ofSeconds(1), told, _ -> {});
                ControlClient _ =
                        new ControlClient(Meeting.of(own.meeting()), GRID, 1, BEAT_MILLIS, SILENCE, second::add)) {
            assertThat(first.poll(1500, TimeUnit.MILLISECONDS)).isNull();
        }
    }

    @Test
    void nobodyIsMissedWhereAllJoin() throws Exception {
        try (ControlServer own = brief(Duration.ofSeconds(1));
                ControlClient _ = new ControlClient(own.meeting(), GRID, 1, BEAT_MILLIS, SILENCE, second::add);
                ControlClient _ = new ControlClient(own.meeting(), GRID, 2, BEAT_MILLIS, SILENCE, third::add)) {
            assertThat(first.poll(1500, TimeUnit.MILLISECONDS)).isNull();
            own.leave();
        }
    }

    @Test
    void whatOneSaysAllHear() throws Exception {
        try (ControlClient b = join(1, second);
                ControlClient c = join(2, third)) {
            settle(b, c);
            b.stop(new Stop(1, 7, "loss of step 3 is NaN\nsecond line"));
            for (BlockingQueue<Stop> told : List.of(first, second, third)) {
                assertThat(next(told)).isEqualTo(new Stop(1, 7, "loss of step 3 is NaN\nsecond line"));
            }
            c.stop(new Stop(2, 1, "later"));
            assertThat(third.poll(300, TimeUnit.MILLISECONDS))
                    .as("the first is enough")
                    .isNull();
        }
    }

    @Test
    void whoEndsWithoutAWordIsLost() throws Exception {
        try (ControlClient b = join(1, second)) {
            ControlClient c = join(2, third);
            settle(b, c);
            c.close();
            assertThat(next(first)).isEqualTo(new Stop(2, 9, "rank 2 (c) has ended after step 7"));
            assertThat(next(second)).isEqualTo(new Stop(2, 9, "rank 2 (c) has ended after step 7"));
        }
    }

    @Test
    void whoSaysNothingIsLostAfterTheTimeAskedFor() throws Exception {
        try (ControlServer impatient = new ControlServer(
                        InetAddress.getLoopbackAddress(),
                        1,
                        GRID,
                        List.of("a", "b", "c"),
                        Meeting.newToken(),
                        Patience.of(Duration.ofSeconds(2)),
                        first::add);
                ControlClient b = new ControlClient(
                        impatient.meeting(), GRID, 1, BEAT_MILLIS, Duration.ofSeconds(9), second::add);
                ControlClient _ = new ControlClient(impatient.meeting(), GRID, 2, 60_000, SILENCE, third::add)) {
            settle(b);
            assertThat(next(first)).isEqualTo(new Stop(2, 9, "rank 2 (c) has said nothing for 2 s after step 0"));
            assertThat(next(second)).isEqualTo(new Stop(2, 9, "rank 2 (c) has said nothing for 2 s after step 0"));
            impatient.leave();
        }
    }

    @Test
    void thoseThatEndTogetherAreNamedTogether() throws Exception {
        close();
        listen(Duration.ofSeconds(2));
        ControlClient b = join(1, second);
        ControlClient c = join(2, third);
        settle(b, c);
        c.close();
        TimeUnit.MILLISECONDS.sleep(500);
        b.stop(new Stop(1, 1, "an exchange has failed"));
        b.close();
        assertThat(next(first))
                .isEqualTo(new Stop(2, 9, "rank 2 (c) has ended after step 7; soon after it rank 1 ended, too"));
    }

    @Test
    void aWitnessHearsTheFirstRankToo() throws Exception {
        try (Witness witness = new Witness(new ProcessGrid(1, 2), SILENCE, third::add, _ -> {})) {
            Meeting meeting = Meeting.of(witness.meeting());
            ControlClient a = new ControlClient(meeting, GRID, 0, BEAT_MILLIS, SILENCE, first::add);
            ControlClient b = new ControlClient(meeting, GRID, 1, BEAT_MILLIS, SILENCE, second::add);
            settle(a, b);
            a.close();
            assertThat(next(third).text()).startsWith("rank 0 (").endsWith(") has ended after step 7");
            assertThat(next(second).isOfLost()).isTrue();
            b.awaitFirst();
        }
    }

    @Test
    void nobodyIsMissedAtTheEnd() throws Exception {
        ControlClient b = join(1, second);
        ControlClient c = join(2, third);
        settle(b, c);
        c.leave();
        c.close();
        assertThat(first.poll(500, TimeUnit.MILLISECONDS))
                .as("it has said that it leaves")
                .isNull();
        server.leave();
        b.leave();
        b.close();
        server.close();
        assertThat(first.poll(500, TimeUnit.MILLISECONDS)).isNull();
        assertThat(second.poll(500, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void whoDoesNotKnowTheTokenIsNobody() throws Exception {
        try (ControlClient b = join(1, second)) {
            ControlClient stranger = new ControlClient(guess(), GRID, 2, BEAT_MILLIS, SILENCE, third::add);
            settle(b);
            stranger.stop(new Stop(2, 1, "all of you"));
            assertThat(next(third).text()).startsWith("rank 0 has ended");
            assertThat(first.poll(300, TimeUnit.MILLISECONDS)).isNull();
            assertThat(second).isEmpty();
        }
    }

    @Test
    void damagedMessagesEndTheirConnectionAlone() throws Exception {
        try (ControlClient b = join(1, second)) {
            settle(b);
            Random random = new Random(1);
            for (int trial = 0; trial < 100; trial++) {
                byte[] bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                sendRaw(bytes);
            }
            byte[] endless = new byte[ControlConnection.MOST_BYTES + 1];
            Arrays.fill(endless, (byte) 'x');
            sendRaw(endless);
            assertThat(first.poll(300, TimeUnit.MILLISECONDS)).isNull();
            b.stop(new Stop(1, 3, "still here"));
            assertThat(next(first).text()).isEqualTo("still here");
        }
    }

    private Meeting guess() {
        return new Meeting(server.meeting().host(), server.meeting().port(), Meeting.newToken());
    }

    private void sendRaw(byte[] bytes) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server.meeting().address());
            socket.getOutputStream().write(bytes);
        }
    }

    @Test
    void aStopComesBackFromItsWords() {
        Stop stop = new Stop(3, 8, "a line, ü and\nanother");
        assertThat(Stop.of(List.of(stop.words()))).isEqualTo(stop);
        assertThat(Stop.isOne(List.of(stop.words()))).isTrue();
        assertThat(Stop.isOne(List.of("done", "3"))).isFalse();
        assertThat(Stop.of(List.of(new Stop(0, 1, "x".repeat(100_000)).words())).text())
                .hasSize(8192);
        for (List<String> bad : List.of(
                List.of("stop", "1", "256", "YQ=="), List.of("stop", "-1", "1", ""), List.of("stop", "1", "1", "%"))) {
            assertThatThrownBy(() -> Stop.of(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
