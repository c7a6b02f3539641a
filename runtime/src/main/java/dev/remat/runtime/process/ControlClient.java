package dev.remat.runtime.process;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The end of the connection to the first rank that each other has. */
final class ControlClient implements Control {
    static final long BEAT_MILLIS = 1000;
    private static final int JOIN_MILLIS = 60_000;
    private static final int LAST_WORDS_MILLIS = 3000;

    private final ControlConnection connection;
    private final Listener told;
    private final String name;
    private final CountDownLatch gone = new CountDownLatch(1);
    private final long beatMillis;
    private final Duration silence;
    private volatile long step;
    private volatile boolean leaves;
    private volatile Supplier<Optional<String>> awaited = Optional::empty;

    /**
     * @param grid which messages name the first by
     * @param beatMillis how often it says that it is there
     * @param silence after which the first is lost
     * @param told of the first stop
     */
    ControlClient(Meeting first, ProcessGrid grid, int rank, long beatMillis, Duration silence, Listener told)
            throws IOException {
        this.name = grid.name(0);
        Socket socket = new Socket();
        socket.connect(first.address(), JOIN_MILLIS);
        this.connection = new ControlConnection(socket);
        this.told = told;
        this.beatMillis = beatMillis;
        this.silence = silence;
        List<String> asked = connection.receive();
        if (asked.size() != 2 || !asked.getFirst().equals("remat")) {
            throw new IOException(first.address() + " is no rank of remat");
        }
        connection.waitFor(silence);
        connection.send("hello", String.valueOf(rank), ControlConnection.proof(first.token(), asked.get(1), rank));
        Thread.ofPlatform().daemon().name("control-beat").start(this::beat);
        Thread.ofPlatform().daemon().name("control").start(this::listen);
    }

    private void beat() {
        try {
            while (!leaves) {
                connection.send(
                        "done",
                        String.valueOf(step),
                        awaited.get().map(Stop::encoded).orElse(""));
                if (gone.await(beatMillis, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (IOException e) {
            // That rank 0 is gone is for who listens to it to say.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen() {
        boolean heard = false;
        String how = "has ended";
        try {
            for (List<String> words = connection.receive(); !words.isEmpty(); words = connection.receive()) {
                if (Stop.isOne(words) && !heard) {
                    heard = true;
                    told.stopped(Stop.of(words));
                }
            }
        } catch (SocketTimeoutException e) {
            how = ControlConnection.silent(silence);
        } catch (SocketException e) {
            // However the system says that nobody is there any more.
            how = "has ended";
        } catch (IOException | IllegalArgumentException e) {
            how = "has ended (" + e.getMessage() + ")";
        }
        gone.countDown();
        if (!heard && !leaves) {
            told.stopped(new Stop(0, Stop.LOST, name + " " + how));
        }
    }

    @Override
    public void tells(Supplier<Optional<String>> what) {
        awaited = what;
    }

    @Override
    public void done(long done) {
        step = done;
    }

    @Override
    public void stop(Stop why) {
        try {
            connection.send(why.words());
        } catch (IOException e) {
            // Nobody is left to be told.
            return;
        }
    }

    @Override
    public void awaitFirst() {
        try {
            if (!gone.await(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)) {
                // It takes too long.
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void leave() {
        leaves = true;
        try {
            connection.send("leave");
        } catch (IOException e) {
            // Who is gone misses nobody.
            return;
        }
    }

    @Override
    public void close() {
        gone.countDown();
        try {
            connection.close();
        } catch (IOException e) {
            // It has come to its end either way.
            return;
        }
    }
}
