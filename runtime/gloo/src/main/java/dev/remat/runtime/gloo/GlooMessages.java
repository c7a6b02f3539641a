package dev.remat.runtime.gloo;

import dev.remat.runtime.process.Engine;
import dev.remat.runtime.process.Messages;
import dev.remat.runtime.process.MessagesLostException;
import dev.remat.runtime.process.RendezvousException;
import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.ByteVector;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.gloo.Device;
import org.bytedeco.pytorch.gloo.Pair;
import org.bytedeco.pytorch.gloo.TransportContext;
import org.bytedeco.pytorch.gloo.UnboundBuffer;

/**
 * Messages of Gloo, straight from and into the memory that they are of. None of its collectives is used, which add in
 * an order of their own and take memory.
 */
final class GlooMessages implements Messages {
    /** Who waits too long is told so by who watches over ranks, not by this library. */
    private static final long WAIT_MILLIS = TimeUnit.DAYS.toMillis(365);

    private static final long CONNECT_MILLIS = TimeUnit.SECONDS.toMillis(60);
    /** How long the word may take of why a connection is gone. */
    private static final long WORD_SECONDS = 8;

    private final int rank;
    private final int ranks;
    private final Way outgoing;
    private final Way incoming;
    private final Milliseconds most = new Milliseconds(WAIT_MILLIS);
    private final Set<Message> underWay = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<RuntimeException> stopped = new CompletableFuture<>();

    /**
     * Connections to all others that bytes take one way. The library's thread asks again and again for a connection on
     * which something has come while another thread holds it to write, and would take the processor from that.
     */
    private final class Way {
        private final TransportContext context;
        private final SortedMap<Integer, Pair> pairs = new TreeMap<>();

        Way(Device device) {
            context = device.createContext(rank, ranks);
            context.setTimeout(new Milliseconds(CONNECT_MILLIS));
            for (int other = 0; other < ranks; other++) {
                if (other != rank) {
                    pairs.put(other, context.createPair(other));
                }
            }
        }

        /** Addresses for all ranks, of which this one's own is empty. */
        byte[] addresses() {
            List<byte[]> addresses = new ArrayList<>();
            for (int other = 0; other < ranks; other++) {
                addresses.add(other == rank ? new byte[0] : address(pairs.get(other)));
            }
            return join(addresses);
        }

        private static byte[] address(Pair pair) {
            try (ByteVector address = pair._address().bytes()) {
                return address.get();
            }
        }

        private void connect(int other, byte[] address) {
            try (ByteVector bytes = new ByteVector(address)) {
                pairs.get(other).connect(bytes);
            } catch (RuntimeException e) {
                throw new RendezvousException(
                        "rank " + rank + " cannot connect to rank " + other + ": " + e.getMessage());
            }
        }

        private void close() {
            pairs.values().forEach(Pair::_close);
        }
    }

    private GlooMessages(int rank, int ranks, Device device) {
        this.rank = rank;
        this.ranks = ranks;
        this.outgoing = new Way(device);
        this.incoming = new Way(device);
    }

    static GlooMessages join(int rank, int ranks, String network, Engine.Meet meeting) {
        GlooMessages messages = new GlooMessages(rank, ranks, ProcessGroupGloo.createDeviceForInterface(network));
        List<byte[]> all = meeting.all(join(List.of(messages.incoming.addresses(), messages.outgoing.addresses())));
        for (int other = 0; other < ranks; other++) {
            if (other != rank) {
                List<byte[]> ways = split(all.get(other), 2);
                messages.connect(other, ways.getFirst(), ways.getLast());
            }
        }
        return messages;
    }

    /** One's outgoing way is the other's incoming one, and they begin with the same connection. */
    private void connect(int other, byte[] incomingThere, byte[] outgoingThere) {
        for (boolean up : new boolean[] {true, false}) {
            boolean out = up == rank < other;
            (out ? outgoing : incoming).connect(other, split(out ? incomingThere : outgoingThere, ranks).get(rank));
        }
    }

    private static byte[] join(List<byte[]> parts) {
        int bytes = parts.stream().mapToInt(part -> Integer.BYTES + part.length).sum();
        ByteBuffer all = ByteBuffer.allocate(bytes);
        parts.forEach(part -> all.putInt(part.length).put(part));
        return all.array();
    }

    private static List<byte[]> split(byte[] all, int parts) {
        ByteBuffer bytes = ByteBuffer.wrap(all);
        List<byte[]> split = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            byte[] part = new byte[bytes.getInt()];
            bytes.get(part);
            split.add(part);
        }
        return split;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public Begun send(MemorySegment bytes, int to, Channel channel) {
        return begin(new Message(bytes, to, channel, true));
    }

    @Override
    public Begun receive(MemorySegment into, int from, Channel channel) {
        return begin(new Message(into, from, channel, false));
    }

    private Begun begin(Message message) {
        underWay.add(message);
        try {
            message.begin();
        } catch (RuntimeException e) {
            throw lost(message, e);
        }
        return message;
    }

    /** What to say of a connection that is gone: why, as soon as that is known. */
    private RuntimeException lost(Message message, RuntimeException failed) {
        RuntimeException why;
        try {
            why = stopped.get(WORD_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            why = new MessagesLostException(rank, message.peer, failed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = new MessagesLostException(rank, message.peer, failed);
        }
        // What is read into next may be freed by who hears of this.
        underWay.forEach(Message::drop);
        return why;
    }

    @Override
    public void abort(RuntimeException why) {
        stopped.complete(why);
        underWay.forEach(Message::abort);
    }

    @Override
    public void close() {
        if (!stopped.isDone()) {
            outgoing.close();
            incoming.close();
        }
    }

    /** One way. */
    private final class Message implements Begun {
        private final int peer;
        private final Channel channel;
        private final boolean sends;
        private final long bytes;
        private final UnboundBuffer buffer;
        private boolean awaited;
        private boolean closed;

        Message(MemorySegment memory, int peer, Channel channel, boolean sends) {
            this.peer = peer;
            this.channel = channel;
            this.sends = sends;
            this.bytes = memory.byteSize();
            this.buffer = (sends ? outgoing : incoming).context.createUnboundBuffer(new Place(memory), bytes);
        }

        void begin() {
            long slot = channel.ordinal();
            if (sends) {
                buffer.send(peer, slot, 0, bytes);
            } else {
                buffer.recv(peer, slot, 0, bytes);
            }
        }

        @Override
        public void end() {
            boolean ended;
            try {
                await();
                ended = sends ? buffer.waitSend(most) : buffer.waitRecv(most);
            } catch (RuntimeException e) {
                close();
                throw lost(this, e);
            }
            close();
            if (!ended) {
                throw lost(this, new IllegalStateException("ended early"));
            }
        }

        private synchronized void await() {
            if (closed) {
                throw new IllegalStateException("stopped");
            }
            awaited = true;
        }

        /** From now on the library leaves its memory alone. */
        private synchronized void close() {
            if (!closed) {
                closed = true;
                buffer.close();
            }
            underWay.remove(this);
        }

        /** Unless somebody waits for it, who does so. */
        private synchronized void drop() {
            if (!awaited) {
                close();
            }
        }

        private synchronized void abort() {
            if (closed) {
                return;
            }
            if (sends) {
                buffer.abortWaitSend();
            } else {
                buffer.abortWaitRecv();
            }
        }
    }

    /** Memory of ours for the presets. */
    private static final class Place extends Pointer {
        Place(MemorySegment memory) {
            super((Pointer) null);
            address = memory.address();
            limit = memory.byteSize();
            capacity = memory.byteSize();
        }
    }
}
