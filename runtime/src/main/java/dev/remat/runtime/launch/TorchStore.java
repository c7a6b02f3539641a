package dev.remat.runtime.launch;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What torchrun's agents keep for the processes that they start: texts by name, on the port that {@code MASTER_PORT}
 * names. Numbers go over the wire as machines of x86-64 have them, before a length of 64 bits each text. From PyTorch
 * 2.1 on who connects proves first that it speaks of this, and requests are numbered one higher (torch's
 * {@code TCPStoreBackend.hpp}).
 */
public final class TorchStore implements Closeable {
    private static final int SET = 0;
    private static final int GET = 2;
    private static final int WAIT = 5;
    private static final int COUNT = 6;
    private static final int VALIDATE = 0;
    private static final int MAGIC = 0x3C85F7CE;
    private static final int ANSWER_MILLIS = 5000;
    private static final int MOST_BYTES = 1 << 16;

    private final Socket socket;
    private final DataInputStream in;
    private final int shift;

    private TorchStore(Socket socket, int shift) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
        this.shift = shift;
    }

    /** @throws IOException if it cannot be reached */
    public static TorchStore connect(InetSocketAddress address) throws IOException {
        TorchStore older = new TorchStore(open(address), 0);
        try {
            // The newer ones end a connection that begins so, and the older would take what these expect for a length.
            older.send(ByteBuffer.allocate(1).put((byte) COUNT));
            older.readLong();
            return older;
        } catch (EOFException | SocketException e) {
            older.close();
        } catch (IOException e) {
            older.close();
            throw e;
        }
        TorchStore newer = new TorchStore(open(address), 1);
        newer.send(request(1 + Integer.BYTES).put((byte) VALIDATE).putInt(MAGIC));
        return newer;
    }

    private static Socket open(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.connect(address, ANSWER_MILLIS);
        socket.setSoTimeout(ANSWER_MILLIS);
        return socket;
    }

    private static ByteBuffer request(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Keeps a text under a name. */
    public void set(String name, String text) throws IOException {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        send(request(1 + 2 * Long.BYTES + key.length + value.length)
                .put((byte) (SET + shift))
                .putLong(key.length)
                .put(key)
                .putLong(value.length)
                .put(value));
        // What is set is not answered: what comes next on this connection is seen after it.
        get(name, Duration.ofMillis(ANSWER_MILLIS));
    }

    /**
     * What is kept under a name, as soon as it is.
     *
     * @throws java.net.SocketTimeoutException if that takes longer
     */
    public String get(String name, Duration most) throws IOException {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        socket.setSoTimeout(Math.toIntExact(most.toMillis()));
        send(request(1 + 2 * Long.BYTES + key.length)
                .put((byte) (WAIT + shift))
                .putLong(1)
                .putLong(key.length)
                .put(key));
        if (in.readByte() != 0) {
            throw new IOException("the wait for " + name + " was ended");
        }
        send(request(1 + Long.BYTES + key.length)
                .put((byte) (GET + shift))
                .putLong(key.length)
                .put(key));
        long length = readLong();
        if (length < 0 || length > MOST_BYTES) {
            throw new IOException("an answer of " + length + " bytes");
        }
        return new String(in.readNBytes((int) length), StandardCharsets.UTF_8);
    }

    private void send(ByteBuffer request) throws IOException {
        byte[] bytes = new byte[request.flip().remaining()];
        request.get(bytes);
        socket.getOutputStream().write(bytes);
    }

    private long readLong() throws IOException {
        return Long.reverseBytes(in.readLong());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
