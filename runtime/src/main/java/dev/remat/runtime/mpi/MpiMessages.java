package dev.remat.runtime.mpi;

import dev.remat.runtime.launch.Started;
import dev.remat.runtime.process.Messages;
import dev.remat.runtime.process.RendezvousException;
import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages by the MPI that has started this process. One thread makes all calls, so that messages move on while others
 * compute, and any library will do.
 */
public final class MpiMessages implements Messages {
    /** Of one call, whose counts are integers. */
    private static final long MOST_BYTES = 1L << 30;
    /** How often what is waited for is asked after before the thread gives its processor away in between. */
    private static final int BUSY_TURNS = 200;

    private static final Duration LAST_CALL = Duration.ofSeconds(5);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    /** While the processor is computing: what comes meanwhile finds room with the system. */
    private static final long UNAWAITED_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private final MpiLibrary library;
    private final Started started;
    private final Queue<Message> posted = new ConcurrentLinkedQueue<>();
    private final Thread lane;
    private final Arena arena = Arena.ofShared();
    /** Whether processes have come together; until then the library cannot be interrupted, and touches no message. */
    private volatile boolean joined;

    private volatile Optional<RuntimeException> stopped = Optional.empty();
    private volatile boolean closing;

    private MpiMessages(MpiLibrary library, Started started) {
        this.library = library;
        this.started = started;
        this.lane = Thread.ofPlatform().daemon().name("mpi").unstarted(this::run);
    }

    /**
     * Begins to join the processes that the same launcher has started. If these do not come together, whoever waits
     * for a message gets an {@link MpiException} or a {@link RendezvousException}.
     *
     * @throws dev.remat.ir.natives.LibraryUnavailableException if its library cannot be loaded
     */
    public static MpiMessages join(MpiLauncher launcher) {
        MpiMessages messages = new MpiMessages(MpiLibrary.open(launcher), launcher.started());
        messages.lane.start();
        return messages;
    }

    /** The libraries that this system has, by their names. */
    public static List<String> libraries() {
        return Arrays.stream(MpiLibrary.Kind.values())
                .filter(kind -> kind.find().isPresent())
                .map(MpiLibrary.Kind::toString)
                .toList();
    }

    @Override
    public int rank() {
        return started.rank();
    }

    @Override
    public int ranks() {
        return started.ranks();
    }

    @Override
    public Begun send(MemorySegment bytes, int to, Channel channel) {
        return post(new Message(bytes, to, channel, true));
    }

    @Override
    public Begun receive(MemorySegment into, int from, Channel channel) {
        return post(new Message(into, from, channel, false));
    }

    private Begun post(Message message) {
        posted.add(message);
        LockSupport.unpark(lane);
        return () -> await(message);
    }

    private void await(Message message) {
        message.waiter = Thread.currentThread();
        LockSupport.unpark(lane);
        while (!message.ended) {
            if (stopped.isPresent()) {
                if (joined) {
                    // The library may be writing to what the caller frees next.
                    awaitLane();
                }
                throw stopped.get();
            }
            LockSupport.park(message);
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new MpiException("interrupted while a message was under way");
            }
        }
    }

    @Override
    public void abort(RuntimeException why) {
        stopped = stopped.or(() -> Optional.of(why));
        LockSupport.unpark(lane);
        posted.forEach(Message::wake);
    }

    /** What the thread does: as long as nothing has stopped it, which leaves the library to the end of the process. */
    private void run() {
        Deque<Message> underWay = new ArrayDeque<>();
        try {
            begin();
            joined = true;
            MemorySegment flag = arena.allocate(ValueLayout.JAVA_INT);
            int turns = 0;
            while (stopped.isEmpty() && !(closing && underWay.isEmpty() && posted.isEmpty())) {
                boolean moved = begin(underWay);
                moved = underWay.removeIf(message -> message.hasEnded(flag)) || moved;
                turns = moved ? 0 : turns + 1;
                if (underWay.isEmpty() && posted.isEmpty()) {
                    LockSupport.park(this);
                } else if (underWay.stream().noneMatch(Message::isAwaited)) {
                    LockSupport.parkNanos(UNAWAITED_PAUSE_NANOS);
                } else if (turns > BUSY_TURNS) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                } else {
                    Thread.onSpinWait();
                }
            }
            if (stopped.isEmpty()) {
                library.end();
            }
        } catch (RuntimeException e) {
            stopped = stopped.or(() -> Optional.of(e));
        }
        underWay.forEach(Message::wake);
        posted.forEach(Message::wake);
    }

    private void begin() {
        library.begin();
        if (library.rank() != started.rank() || library.ranks() != started.ranks()) {
            throw new RendezvousException("for MPI this process is rank " + library.rank() + " of " + library.ranks()
                    + ", which contradicts " + started.told() + "; another MPI's launcher has started it");
        }
    }

    private boolean begin(Deque<Message> underWay) {
        boolean any = false;
        for (Message next = posted.poll(); next != null; next = posted.poll()) {
            next.begin();
            underWay.add(next);
            any = true;
        }
        return any;
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(lane);
        if (stopped.isEmpty()) {
            // All has been said by now, and a library that does not come to its end should not keep the process.
            awaitLane();
        }
    }

    private void awaitLane() {
        try {
            lane.join(LAST_CALL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One way, in as many calls as it takes. */
    private final class Message {
        private final MemorySegment bytes;
        private final int peer;
        private final Channel channel;
        private final boolean sends;
        private final List<MemorySegment> requests = new ArrayList<>();
        private volatile Thread waiter;
        private volatile boolean ended;

        Message(MemorySegment bytes, int peer, Channel channel, boolean sends) {
            this.bytes = bytes;
            this.peer = peer;
            this.channel = channel;
            this.sends = sends;
        }

        void begin() {
            for (long at = 0; at < bytes.byteSize(); at += MOST_BYTES) {
                MemorySegment part = bytes.asSlice(at, Math.min(MOST_BYTES, bytes.byteSize() - at));
                MemorySegment request = Arena.ofAuto().allocate(library.requestBytes(), Long.BYTES);
                if (sends) {
                    library.send(part, peer, channel.ordinal(), request);
                } else {
                    library.receive(part, peer, channel.ordinal(), request);
                }
                requests.add(request);
            }
        }

        boolean hasEnded(MemorySegment flag) {
            requests.removeIf(request -> library.hasEnded(request, flag));
            ended = requests.isEmpty();
            if (ended) {
                wake();
            }
            return ended;
        }

        boolean isAwaited() {
            return waiter != null;
        }

        void wake() {
            LockSupport.unpark(waiter);
        }
    }
}
