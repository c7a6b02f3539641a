package dev.remat.runtime.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The first rank's end of the connections to all others. A rank whose connection ends without a word, or that says
 * nothing for too long, is lost, and all are told.
 */
final class ControlServer implements Control {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int MOST_NAMED = 8;
    private static final int NONCE_BYTES = 16;
    /** How many may knock beside ranks before these have to try again. */
    private static final int STRANGERS = 256;

    /**
     * How long is waited.
     *
     * @param silence after which a rank is lost
     * @param joining after which one is lost that has not joined, since the first did
     * @param together after one is lost, in which others are told with it: engines end those that were waiting for one,
     *     and which was the first is not always to be seen
     * @param stall after which it is said that no rank has ended a step
     */
    record Patience(Duration silence, Duration joining, Duration together, Duration stall) {
        static Patience of(Duration silence) {
            return new Patience(silence, silence, Duration.ofMillis(200), Duration.ofMinutes(1));
        }

        /** With ranks that join as they start, of which some may take long on a busy machine. */
        static Patience ofStart(Duration silence) {
            Patience usual = of(silence);
            Duration joining = START.compareTo(silence) > 0 ? START : silence;
            return new Patience(silence, joining, usual.together, usual.stall);
        }
    }

    private static final Duration START = Duration.ofMinutes(1);

    /** A rank that has joined. */
    private static final class Member {
        private final ControlConnection connection;
        private volatile long step;
        /** Empty where it computes. */
        private volatile String awaited = "";

        private volatile boolean leaves;

        Member(ControlConnection connection) {
            this.connection = connection;
        }

        void end() {
            try {
                connection.close();
            } catch (IOException e) {
                return;
            }
        }

        /** What is gone needs no word of it. */
        void tell(Stop why) {
            try {
                connection.send(why.words());
            } catch (IOException e) {
                return;
            }
        }
    }

    private final ServerSocket socket;
    private final Meeting meeting;
    private final int lowest;
    private final int ranks;
    private final ProcessGrid grid;
    private final List<String> hosts;
    private final Patience patience;
    private final Listener told;
    private final SortedMap<Integer, Member> members = new TreeMap<>();
    /** Ranks that have gone without a word, as that was noticed. */
    private final List<Integer> lost = new ArrayList<>();

    /** Connections of which more may come, and whoever waits for their end. */
    private final Phaser serving = new Phaser(1);

    private volatile long step;
    private volatile Supplier<Optional<String>> awaited = Optional::empty;
    private boolean leaves;
    private boolean stopped;

    /**
     * Listens on a free port.
     *
     * @param lowest number of a rank that joins
     * @param grid of ranks, and of stages where these are processes, too, which messages name
     * @param hosts by process, for messages
     * @param token what ranks prove to know
     * @param patience with ranks
     * @param told of the first stop
     */
    ControlServer(
            InetAddress address,
            int lowest,
            ProcessGrid grid,
            List<String> hosts,
            byte[] token,
            Patience patience,
            Listener told)
            throws IOException {
        this.grid = grid;
        this.patience = patience;
        this.lowest = lowest;
        this.socket = new ServerSocket(0, hosts.size() + STRANGERS, address);
        this.meeting = new Meeting(address, socket.getLocalPort(), token);
        this.ranks = hosts.size();
        this.hosts = List.copyOf(hosts);
        this.told = told;
        Thread.ofPlatform().daemon().name("control").start(this::accept);
        Thread.ofPlatform().daemon().name("control-stall").start(this::watch);
    }

    /** For those that join. */
    Meeting meeting() {
        return meeting;
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket joined = socket.accept();
                serving.register();
                Thread.ofPlatform().daemon().name("control-of").start(() -> {
                    serve(joined);
                    serving.arriveAndDeregister();
                });
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    tell(new Stop(
                            0, Stop.LOST, "the control connection of " + grid.name(0) + " failed: " + e.getMessage()));
                }
                return;
            }
        }
    }

    private void serve(Socket joined) {
        try (ControlConnection connection = new ControlConnection(joined)) {
            byte[] nonce = new byte[NONCE_BYTES];
            new SecureRandom().nextBytes(nonce);
            String asked = HexFormat.of().formatHex(nonce);
            connection.send("remat", asked);
            int rank = named(connection.receive(), asked);
            if (rank >= lowest) {
                Member member = new Member(connection);
                join(rank, member);
                listen(rank, member);
            }
        } catch (IOException | IllegalArgumentException e) {
            // Whoever does not know the token is nobody.
            return;
        }
    }

    /** The rank that a greeting proves; one below the lowest where it proves none. */
    private int named(List<String> words, String asked) {
        if (words.size() != 3 || !words.getFirst().equals("hello")) {
            return lowest - 1;
        }
        int rank = Integer.parseUnsignedInt(words.get(1));
        boolean known = ControlConnection.same(words.get(2), ControlConnection.proof(meeting.token(), asked, rank));
        return known && rank < ranks ? rank : lowest - 1;
    }

    private synchronized void join(int rank, Member member) {
        if (members.putIfAbsent(rank, member) != null) {
            throw new IllegalArgumentException("rank " + rank + " is here already");
        }
        if (members.size() == 1) {
            long joining = patience.joining().toNanos();
            CompletableFuture.delayedExecutor(joining, TimeUnit.NANOSECONDS).execute(this::missOthers);
        }
    }

    /** Ranks join once they start, or have found each other: one that does not, after the first, has ended before. */
    private void missOthers() {
        missing().stream()
                .findFirst()
                .ifPresent(rank -> lose(
                        rank,
                        grid.name(rank) + " (" + hosts.get(rank) + ") " + ControlConnection.silent(patience.joining())
                                + " since others joined"));
    }

    private synchronized List<Integer> missing() {
        return IntStream.range(lowest, ranks)
                .boxed()
                .filter(rank -> !members.containsKey(rank))
                .toList();
    }

    /** Whether a rank has joined, and so says or is seen to have ended. */
    synchronized boolean knows(int rank) {
        return members.containsKey(rank);
    }

    /** What a rank says, until it is gone; each line is answered, so that it knows that this one is there. */
    private void listen(int rank, Member member) {
        String how = "has ended";
        try {
            member.connection.waitFor(patience.silence());
            List<String> words = member.connection.receive();
            while (!words.isEmpty()) {
                if (Stop.isOne(words)) {
                    Stop stop = Stop.of(words);
                    tell(new Stop(rank, stop.code(), stop.text()));
                } else if (words.size() == 3 && words.getFirst().equals("done")) {
                    member.step = Long.parseUnsignedLong(words.get(1));
                    member.awaited = Stop.decoded(words.get(2));
                } else if (words.getFirst().equals("leave")) {
                    member.leaves = true;
                }
                member.connection.send("here");
                words = member.connection.receive();
            }
        } catch (SocketTimeoutException e) {
            how = ControlConnection.silent(patience.silence());
        } catch (SocketException e) {
            // However the system says that nobody is there any more.
            how = "has ended";
        } catch (IOException | IllegalArgumentException e) {
            how = "has ended (" + e.getMessage() + ")";
        }
        if (!member.leaves) {
            lose(rank, grid.name(rank) + " (" + hosts.get(rank) + ") " + how + " after step " + member.step);
        }
        if (rank == 0) {
            endAll();
        }
    }

    /** The first rank has said what it had to say, which the others wait for. */
    private synchronized void endAll() {
        members.values().forEach(Member::end);
    }

    private void lose(int rank, String text) {
        synchronized (this) {
            lost.add(rank);
            if (lost.size() > 1) {
                return;
            }
        }
        LockSupport.parkNanos(patience.together().toNanos());
        List<Integer> others;
        synchronized (this) {
            others = lost.stream().skip(1).sorted().toList();
        }
        String too = others.isEmpty() ? "" : "; soon after it " + grid.names(others) + " ended, too";
        // An engine that is still joining ranks ends them for one that is not here to be seen.
        List<Integer> unseen = missing().stream().filter(other -> other != rank).toList();
        tell(new Stop(
                rank,
                Stop.LOST,
                unseen.isEmpty()
                        ? text + too
                        : "a rank has ended before all ranks had found each other: " + text + too + ", and "
                                + grid.names(unseen) + " had not joined"));
    }

    /** Tells all of the first stop. */
    private void tell(Stop why) {
        List<Member> all;
        synchronized (this) {
            // What others say of the end of one is told with that.
            boolean comesSoon = !lost.isEmpty() && !why.isOfLost();
            if (stopped || leaves || comesSoon) {
                return;
            }
            stopped = true;
            all = List.copyOf(members.values());
        }
        all.forEach(member -> member.tell(why));
        told.stopped(why);
    }

    /** Says once of each time that no rank ends a step for long where all of them stand. */
    private void watch() {
        long turn = Math.min(patience.stall().toNanos(), SECOND) / 2;
        long since = System.nanoTime();
        long before = 0;
        boolean said = false;
        while (!socket.isClosed()) {
            LockSupport.parkNanos(turn);
            long now = steps();
            if (now != before) {
                before = now;
                since = System.nanoTime();
                said = false;
            } else if (now > 0
                    && !said
                    && System.nanoTime() - since > patience.stall().toNanos()) {
                said = true;
                standing().ifPresent(told::stalled);
            }
        }
    }

    private synchronized long steps() {
        return members.values().stream().mapToLong(member -> member.step).sum() + step;
    }

    /** Where all stand; empty where they are about to end. */
    private synchronized Optional<String> standing() {
        if (stopped || leaves) {
            return Optional.empty();
        }
        SortedMap<Integer, String> all = new TreeMap<>();
        if (lowest > 0) {
            all.put(0, awaited.get().orElse(""));
        }
        members.forEach((rank, member) -> all.put(rank, member.awaited));
        String each = all.entrySet().stream()
                .sorted(Comparator.comparing(rank -> !rank.getValue().isEmpty()))
                .limit(MOST_NAMED)
                .map(rank -> grid.name(rank.getKey())
                        + (rank.getValue().isEmpty() ? " computes" : " waits for " + rank.getValue()))
                .collect(Collectors.joining("; "));
        return Optional.of("no step has ended for " + patience.stall().toSeconds() + " s: " + each
                + (all.size() > MOST_NAMED ? "; and " + (all.size() - MOST_NAMED) + " more" : ""));
    }

    /** Returns when nobody has anything to say any more, who then all are gone. */
    void awaitEnd() {
        serving.awaitAdvance(serving.arrive());
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
        tell(why);
    }

    @Override
    public void awaitFirst() {}

    @Override
    public synchronized void leave() {
        leaves = true;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nobody listens any more, which was asked for.
            return;
        }
    }
}
