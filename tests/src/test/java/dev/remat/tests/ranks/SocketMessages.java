package dev.remat.tests.ranks;

import dev.remat.runtime.process.Engine;
import dev.remat.runtime.process.Messages;
import dev.remat.runtime.ranks.Transport.Begun;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An engine that needs nothing but the JDK, in place of one whose jars may not be there. */
public final class SocketMessages implements Messages {
    /** As it is found in a jar. */
    public static final class Found implements Engine {
        @Override
        public String describe() {
            return "sockets";
        }

        @Override
        public Messages join(int rank, int ranks, String network, Meet meeting) {
            try (ServerSocket server = new ServerSocket(0, ranks, InetAddress.getLoopbackAddress())) {
                SocketMessages messages = new SocketMessages(rank, ranks);
                List<byte[]> ports = meeting.all(ByteBuffer.allocate(Integer.BYTES)
                        .putInt(server.getLocalPort())
                        .array());
                for (int lower = 0; lower < rank; lower++) {
                    for (Channel channel : Channel.values()) {
                        Socket socket = new Socket(
                                server.getInetAddress(),
                                ByteBuffer.wrap(ports.get(lower)).getInt());
                        new DataOutputStream(socket.getOutputStream()).writeInt(messages.way(rank, channel));
                        messages.ways.put(messages.way(lower, channel), new Way(socket));
                    }
                }
                for (int k = 0; k < (ranks - 1 - rank) * Channel.values().length; k++) {
                    Socket socket = server.accept();
                    messages.ways.put(new DataInputStream(socket.getInputStream()).readInt(), new Way(socket));
                }
                return messages;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** To and from one other, on a channel. */
    private record Way(Socket socket, ExecutorService out, ExecutorService in) {
        Way(Socket socket) {
            this(socket, oneByOne(), oneByOne());
        }

        private static ExecutorService oneByOne() {
            return Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().factory());
        }
    }

    private final int rank;
    private final int ranks;
    private final SortedMap<Integer, Way> ways = new TreeMap<>();
    private final CompletableFuture<RuntimeException> stopped = new CompletableFuture<>();

    private SocketMessages(int rank, int ranks) {
        this.rank = rank;
        this.ranks = ranks;
    }

    private int way(int other, Channel channel) {
        return channel.ordinal() * ranks + other;
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
        Way way = ways.get(way(to, channel));
        return begun(way.out, () -> {
            way.socket.getOutputStream().write(bytes.toArray(ValueLayout.JAVA_BYTE));
            return null;
        });
    }

    @Override
    public Begun receive(MemorySegment into, int from, Channel channel) {
        Way way = ways.get(way(from, channel));
        return begun(way.in, () -> {
            byte[] bytes = way.socket.getInputStream().readNBytes(Math.toIntExact(into.byteSize()));
            into.copyFrom(MemorySegment.ofArray(bytes));
            return null;
        });
    }

    private Begun begun(ExecutorService executor, Callable<Void> message) {
        Future<Void> future = executor.submit(message);
        return () -> {
            while (true) {
                try {
                    future.get(10, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException | ExecutionException e) {
                    if (stopped.isDone()) {
                        throw stopped.join();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(e);
                }
            }
        };
    }

    @Override
    public void abort(RuntimeException why) {
        stopped.complete(why);
    }

    @Override
    public void close() {
        for (Way way : ways.values()) {
            way.in.shutdownNow();
            way.out.shutdownNow();
        }
    }
}
