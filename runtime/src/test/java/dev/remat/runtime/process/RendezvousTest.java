package dev.remat.runtime.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RendezvousTest {
    private static final Duration MOST = Duration.ofSeconds(20);
    private static final byte[] SECRET = "a secret of sixteen".getBytes(UTF_8);

    /** Who comes: as which rank, of how many, with which secret. */
    private record Comer(int rank, int ranks, byte[] secret) {
        static Comer of(int rank) {
            return new Comer(rank, 3, SECRET);
        }
    }

    /** What the first of three and each of the others is told. */
    private static List<String> meet(Duration most, Comer... comers) throws Exception {
        try (Rendezvous first = Rendezvous.listen(InetAddress.getLoopbackAddress(), 0, 3, SECRET);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<List<byte[]>>> all = new ArrayList<>();
            all.add(() -> first.meet("zero".getBytes(UTF_8), most));
            for (Comer comer : comers) {
                all.add(() -> Rendezvous.come(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), first.port()),
                        comer.rank,
                        comer.ranks,
                        comer.secret,
                        "the test",
                        "r".repeat(comer.rank).getBytes(UTF_8),
                        MOST));
            }
            List<String> told = new ArrayList<>();
            for (Future<List<byte[]>> each : threads.invokeAll(all)) {
                told.add(text(each));
            }
            return told;
        }
    }

    private static String text(Future<List<byte[]>> told) throws InterruptedException {
        return switch (told.state()) {
            case SUCCESS ->
                told.resultNow().stream().map(each -> new String(each, UTF_8)).collect(Collectors.joining(","));
            case FAILED -> told.exceptionNow().getMessage();
            case RUNNING, CANCELLED -> throw new InterruptedException();
        };
    }

    @Test
    void allLearnWhatEachSays() throws Exception {
        assertThat(meet(MOST, Comer.of(2), Comer.of(1))).hasSize(3).containsOnly("zero,r,rr");
    }

    @Test
    void whoIsMissingIsNamedToAll() throws Exception {
        List<String> told = meet(Duration.ofMillis(300), Comer.of(2));
        assertThat(told.getFirst())
                .startsWith("rank 1 of 3 has not come to rank 0 at 127.0.0.1:")
                .endsWith(" within 0 s");
        assertThat(told.getLast()).isEqualTo(told.getFirst());
    }

    @Test
    void twoOfOneNumberAreRefused() throws Exception {
        assertThat(meet(MOST, Comer.of(1), Comer.of(1)).getFirst()).isEqualTo("two processes say that they are rank 1");
        assertThat(meet(MOST, Comer.of(0)).getFirst()).isEqualTo("two processes say that they are rank 0");
    }

    @Test
    void anotherNumberOfRanksIsRefused() throws Exception {
        assertThat(meet(MOST, new Comer(1, 4, SECRET)))
                .containsOnly("rank 1 was started as one of 4, and rank 0 as one of 3");
    }

    @Test
    void whoDoesNotKnowTheSecretIsNobody() throws Exception {
        byte[] guessed = "another of sixteen".getBytes(UTF_8);
        List<String> told = meet(Duration.ofMillis(500), Comer.of(2), new Comer(1, 3, guessed));
        assertThat(told.getFirst()).contains("rank 1 of 3 has not come", "1 came that know another secret or none");
        assertThat(told.getLast()).as("and learns why").contains("another secret");
    }

    /** Whoever listens in place of the first cannot prove that it knows the secret. */
    @Test
    void aFalseFirstIsNotBelieved() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> served = threads.submit(() -> {
                try (ControlConnection connection = new ControlConnection(socket.accept())) {
                    connection.send(Greeting.FIRST, Greeting.question());
                    connection.receive();
                    connection.send(Greeting.said(0, Greeting.word("zero".getBytes(UTF_8))));
                    connection.send(Greeting.said(1, Greeting.word("r".getBytes(UTF_8))));
                    connection.send(Greeting.sealed("0".repeat(64)));
                }
                return null;
            });
            InetSocketAddress address = new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
            assertThat(refusal(address)).contains("rank 1 was not let in", "another secret", "from the test");
            served.get();
        }
    }

    private static String refusal(InetSocketAddress address) {
        try {
            Rendezvous.come(address, 1, 2, SECRET, "the test", new byte[0], MOST);
            return "let in";
        } catch (RendezvousException e) {
            return e.getMessage();
        }
    }

    @Test
    void noiseChangesNothing() throws Exception {
        try (Rendezvous first = Rendezvous.listen(InetAddress.getLoopbackAddress(), 0, 2, SECRET);
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), first.port());
            Random random = new Random(5);
            for (int trial = 0; trial < 50; trial++) {
                byte[] bytes = new byte[random.nextInt(100)];
                random.nextBytes(bytes);
                send(address, bytes);
                send(address, "hello 1 2 a = b\n".getBytes(UTF_8));
            }
            Future<List<byte[]>> met = threads.submit(() -> first.meet("z".getBytes(UTF_8), MOST));
            assertThat(Rendezvous.come(address, 1, 2, SECRET, "the test", new byte[0], MOST))
                    .hasSize(2);
            assertThat(met.get()).hasSize(2);
        }
    }

    private static void send(InetSocketAddress address, byte[] bytes) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address);
            socket.getOutputStream().write(bytes);
        }
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String said;
            try (Rendezvous _ = Rendezvous.listen(InetAddress.getLoopbackAddress(), socket.getLocalPort(), 2, SECRET)) {
                said = "listens";
            } catch (RendezvousException e) {
                said = e.getMessage();
            }
            assertThat(said)
                    .contains("rank 0 cannot listen on 127.0.0.1:" + socket.getLocalPort(), "name another port");
        }
    }
}
