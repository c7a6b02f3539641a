package dev.remat.runtime.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a store that behaves as PyTorch's before 2.1 does, or as one from then on. */
class TorchStoreTest {
    private final Map<String, String> kept = new ConcurrentHashMap<>();

    private InetSocketAddress serve(boolean isNewer) throws IOException {
        ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(() -> {
            while (true) {
                try {
                    Socket client = socket.accept();
                    Thread.ofPlatform().daemon().start(() -> answer(client, isNewer));
                } catch (IOException e) {
                    return;
                }
            }
        });
        return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
    }

    private void answer(Socket client, boolean isNewer) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            if (isNewer && (in.read() != 0 || Integer.reverseBytes(in.readInt()) != 0x3C85F7CE)) {
                return;
            }
            for (int request = in.read(); request >= 0; request = in.read()) {
                switch (isNewer ? request - 1 : request) {
                    case 0 -> kept.put(text(in), text(in));
                    case 2 -> {
                        byte[] value = kept.get(text(in)).getBytes(StandardCharsets.UTF_8);
                        client.getOutputStream().write(number(value.length));
                        client.getOutputStream().write(value);
                    }
                    case 5 -> {
                        assertThat(Long.reverseBytes(in.readLong())).isEqualTo(1);
                        awaitKey(text(in), client.getOutputStream());
                    }
                    case 6 -> client.getOutputStream().write(number(kept.size()));
                    default -> throw new IOException("request " + request);
                }
            }
        } catch (IOException | InterruptedException e) {
            return;
        }
    }

    private void awaitKey(String key, OutputStream out) throws IOException, InterruptedException {
        while (!kept.containsKey(key)) {
            Thread.sleep(5);
        }
        out.write(0);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes((int) Long.reverseBytes(in.readLong())), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOneSetsAnotherGets(boolean isNewer) throws Exception {
        InetSocketAddress address = serve(isNewer);
        try (TorchStore one = TorchStore.connect(address);
                TorchStore other = TorchStore.connect(address)) {
            Thread later = Thread.ofPlatform().start(() -> {
                try {
                    Thread.sleep(100);
                    one.set("where", "127.0.0.1 4711");
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(other.get("where", Duration.ofSeconds(10))).isEqualTo("127.0.0.1 4711");
            later.join();
            one.set("where", "ü");
            assertThat(other.get("where", Duration.ofSeconds(10))).isEqualTo("ü");
        }
    }

    @Test
    void waitingHasAnEnd() throws Exception {
        try (TorchStore store = TorchStore.connect(serve(false))) {
            assertThatThrownBy(() -> store.get("never", Duration.ofMillis(200)))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }
}
