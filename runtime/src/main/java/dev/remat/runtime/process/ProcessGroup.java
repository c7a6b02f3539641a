package dev.remat.runtime.process;

import dev.remat.runtime.process.ControlServer.Patience;
import dev.remat.runtime.process.Messages.Channel;
import dev.remat.runtime.ranks.Transport;
import dev.remat.runtime.ranks.Transport.Begun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The processes that train together, a rank each, or a stage of one. What is asked of it is asked by all of them, in
 * the same order, and answered alike.
 */
public final class ProcessGroup implements AutoCloseable {
    /** What it learns of others. */
    private final class Learns implements Control.Listener {
        @Override
        public void stopped(Stop why) {
            messages.abort(new ProcessStoppedException(why, grid.name(why.rank())));
        }

        @Override
        public void stalled(String where) {
            noted.accept(where);
        }
    }

    /** After which a rank that says nothing is lost, where nothing else is asked for. */
    public static final Duration SILENCE = Duration.ofSeconds(5);

    private final Messages messages;
    private final ProcessGrid grid;
    private final Duration silence;
    private final Optional<Meeting> witness;
    private final List<String> hosts;
    private final Control control;
    private final Awaited awaited = new Awaited();
    private final SlowRanks slow;
    private volatile long done;
    private volatile Consumer<String> noted = _ -> {};
    private long computedNanos;
    private long waitedNanos;

    private ProcessGroup(
            Messages messages,
            int stages,
            Optional<NetworkInterface> network,
            Optional<String> witness,
            Optional<byte[]> secret,
            Duration silence) {
        this.messages = messages;
        this.grid = new ProcessGrid(stages, messages.ranks() / stages);
        this.slow = new SlowRanks(grid);
        this.silence = silence;
        this.witness = witness.map(Meeting::of);
        // Before anything is waited for that another has to say: from here on its end is seen.
        Optional<Control> witnessed = this.witness.map(this::joined);
        try {
            this.hosts = hosts(network);
        } catch (RuntimeException e) {
            witnessed.ifPresent(Control::leave);
            throw e;
        }
        this.control = witnessed.orElseGet(() -> control(network, secret));
        control.tells(awaited::name);
    }

    /**
     * Of processes that can reach each other.
     *
     * @param stages of each rank, which divide the number of processes
     * @param network that the first listens on for the others, so that each learns when another ends; without it
     *     all are on this machine
     * @param witness what {@link Witness#meeting} of the process says that has started them, if it was remat
     * @param secret that all of them know; without it the first makes one and sends it
     * @param silence after which a rank that says nothing is lost
     * @throws ProcessesApartException if they are not
     */
    public static ProcessGroup of(
            Messages messages,
            int stages,
            Optional<NetworkInterface> network,
            Optional<String> witness,
            Optional<byte[]> secret,
            Duration silence) {
        return new ProcessGroup(messages, stages, network, witness, secret, silence);
    }

    private List<String> hosts(Optional<NetworkInterface> network) {
        List<String> all = all(hostName().getBytes(StandardCharsets.UTF_8)).stream()
                .map(name -> new String(name, StandardCharsets.UTF_8))
                .toList();
        if (all.stream().distinct().count() > 1 && network.isEmpty()) {
            throw new ProcessesApartException(all);
        }
        return all;
    }

    /** Whether another process says who is lost. */
    public boolean isWitnessed() {
        return witness.isPresent();
    }

    private Control control(Optional<NetworkInterface> network, Optional<byte[]> secret) {
        if (!isFirst()) {
            Meeting meeting = Meeting.of(all(new byte[0]).getFirst());
            return joined(secret.map(meeting::withToken).orElse(meeting));
        }
        try {
            InetAddress address = network.map(ProcessGroup::address).orElseGet(InetAddress::getLoopbackAddress);
            byte[] token = secret.orElseGet(Meeting::newToken);
            ControlServer server =
                    new ControlServer(address, 1, grid, hosts, token, Patience.of(silence), new Learns());
            all((secret.isPresent() ? server.meeting().withToken(new byte[0]) : server.meeting()).toBytes());
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Control joined(Meeting meeting) {
        try {
            return new ControlClient(meeting, grid, rank(), ControlClient.BEAT_MILLIS, silence, new Learns());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address of a network, of IPv4 if it has one. */
    public static InetAddress address(NetworkInterface network) {
        return network.inetAddresses()
                .min(Comparator.comparing(Inet6Address.class::isInstance))
                .orElseThrow(() -> new IllegalArgumentException(network.getName() + " has no address"));
    }

    static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return kernelName();
        }
    }

    /** Of a container, for one, that no address belongs to. */
    private static String kernelName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return "a host without a name";
        }
    }

    /**
     * Who is told what stops nobody: where all ranks stand when none has ended a step for a minute, by the process that
     * sees it, and by the first which of them is slow.
     */
    public void onNote(Consumer<String> listener) {
        noted = listener;
    }

    /** Number of this process. */
    public int rank() {
        return messages.rank();
    }

    /** How many processes there are. */
    public int ranks() {
        return messages.ranks();
    }

    /** Which stage of which rank each is. */
    public ProcessGrid grid() {
        return grid;
    }

    /** How many of them run on this machine. */
    public int here() {
        return Math.toIntExact(mates().count());
    }

    /** Which of them run on this machine, by number. */
    public IntStream mates() {
        return IntStream.range(0, ranks()).filter(process -> hosts.get(process).equals(hosts.get(rank())));
    }

    /** Whether this is the process that speaks, logs and writes. */
    public boolean isFirst() {
        return rank() == 0;
    }

    /** Exchanges among the ranks of this stage, and messages to other stages of this rank. */
    public Transport transport() {
        return new MessageTransport(messages, awaited, grid);
    }

    /** What goes between any two processes, each by its number, as between stages of one rank. */
    public Transport pairs() {
        return new MessageTransport(messages, awaited, new ProcessGrid(ranks(), 1));
    }

    /** Whether it is so for any rank. */
    public boolean any(boolean own) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = arena.allocate(1);
            mine.set(ValueLayout.JAVA_BOOLEAN, 0, own);
            MemorySegment all = arena.allocate(ranks());
            awaitOfAll(mine, all, "whether any rank stops");
            return IntStream.range(0, ranks()).anyMatch(rank -> all.get(ValueLayout.JAVA_BOOLEAN, rank));
        }
    }

    /** What each rank has, in their order. */
    public List<byte[]> all(byte[] own) {
        return IntStream.range(0, ranks()).mapToObj(rank -> seen(rank, own)).toList();
    }

    /** What the first rank has. */
    public byte[] ofFirst(byte[] own) {
        return seen(0, own);
    }

    private byte[] seen(int rank, byte[] own) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
            length.set(ValueLayout.JAVA_LONG, 0, own.length);
            long bytes = seen(rank, mine(rank, length), arena.allocate(ValueLayout.JAVA_LONG))
                    .get(ValueLayout.JAVA_LONG, 0);
            if (bytes > Integer.MAX_VALUE - Long.BYTES) {
                throw new IllegalStateException(grid.name(rank) + " has " + bytes + " bytes to say");
            }
            return seen(rank, mine(rank, MemorySegment.ofArray(own)), arena.allocate(bytes))
                    .toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private Optional<MemorySegment> mine(int rank, MemorySegment own) {
        return rank == rank() ? Optional.of(own) : Optional.empty();
    }

    /** What a process has, which it sends to all others. */
    MemorySegment seen(int rank, Optional<MemorySegment> own, MemorySegment room) {
        return seen(rank, own, room, IntStream.range(0, ranks()));
    }

    /**
     * What a process has, which it sends to others.
     *
     * @param own what it is, in that process
     * @param room native memory for it, of as many bytes
     * @param among who asks for it
     */
    MemorySegment seen(int rank, Optional<MemorySegment> own, MemorySegment room, IntStream among) {
        if (room.byteSize() == 0) {
            return room;
        }
        if (rank != rank()) {
            awaited.run(
                    messages.receive(room, rank, Channel.GROUP)::end, () -> "what " + grid.name(rank) + " has to say");
            return room;
        }
        MemorySegment sent = own.filter(MemorySegment::isNative).orElse(room);
        own.filter(found -> !found.isNative()).ifPresent(room::copyFrom);
        List<Begun> begun = among.filter(to -> to != rank)
                .mapToObj(to -> messages.send(sent, to, Channel.GROUP))
                .toList();
        begun.forEach(Begun::end);
        return sent;
    }

    /** Runs a part of a step, whose time counts as this process's own but for what it waits for others. */
    void compute(Runnable part) {
        long begin = System.nanoTime();
        long before = awaited.nanos();
        part.run();
        long waited = awaited.nanos() - before;
        waitedNanos += waited;
        computedNanos += System.nanoTime() - begin - waited;
    }

    /** All processes have done a training step: what became of its time. */
    public RankTimes done(long step) {
        done = step;
        control.done(step);
        long[] computed = ofAll(computedNanos);
        RankTimes times = new RankTimes(waitedNanos, slow.slowest(computed));
        computedNanos = 0;
        waitedNanos = 0;
        slow.hear(computed).filter(_ -> isFirst()).ifPresent(noted);
        return times;
    }

    /** A number of each process, in their order. */
    private long[] ofAll(long own) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = arena.allocateFrom(ValueLayout.JAVA_LONG, own);
            MemorySegment all = arena.allocate(ValueLayout.JAVA_LONG, ranks());
            awaitOfAll(mine, all, "how long all have computed");
            return all.toArray(ValueLayout.JAVA_LONG);
        }
    }

    private void awaitOfAll(MemorySegment own, MemorySegment all, String what) {
        Transport transport = new MessageTransport(messages, awaited, new ProcessGrid(1, ranks()));
        transport.await(transport.gather(own, all), () -> what);
    }

    /** What this process waits for, or has waited for in vain, and in which step, in words. */
    public Optional<String> awaited() {
        return awaited.name().map(what -> what + (done == 0 ? "" : " in step " + (done + 1)));
    }

    /** This process stops by itself; all others get a {@link ProcessStoppedException} for it. */
    public void stop(Stop why) {
        control.stop(why);
    }

    /** Returns when the first rank has said why all stop. */
    public void awaitFirst() {
        control.awaitFirst();
    }

    /** When all have come to the end. */
    @Override
    public void close() {
        control.leave();
        any(false);
        messages.close();
        control.close();
    }
}
