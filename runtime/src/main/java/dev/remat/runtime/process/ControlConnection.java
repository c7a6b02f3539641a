package dev.remat.runtime.process;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Lines of words between a rank and the first. What is longer than a line may be ends the connection. */
final class ControlConnection implements Closeable {
    /** Longest line, in bytes. */
    static final int MOST_BYTES = 1 << 16;

    private static final int USUAL_BYTES = 256;
    private static final Duration GREETING = Duration.ofSeconds(5);

    private static final String ALGORITHM = "HmacSHA256";

    private final Socket socket;
    private final InputStream in;

    /** With little time for the first lines. */
    ControlConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        waitFor(GREETING);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** What is said of who takes longer than that. */
    static String silent(Duration most) {
        return "has said nothing for " + most.toSeconds() + " s";
    }

    /** From now on lines may take so long. */
    final void waitFor(Duration most) throws IOException {
        socket.setSoTimeout(Math.toIntExact(most.toMillis()));
    }

    synchronized void send(String... words) throws IOException {
        socket.getOutputStream().write((String.join(" ", words) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The words of the next line; none at the end.
     *
     * @throws java.net.SocketTimeoutException if none comes in time
     * @throws IOException if the connection fails, or a line is too long
     */
    List<String> receive() throws IOException {
        byte[] line = new byte[USUAL_BYTES];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return List.of();
            }
            if (length == MOST_BYTES) {
                throw new IOException("a line of more than " + MOST_BYTES + " bytes");
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length++] = (byte) next;
        }
        return List.of(new String(line, 0, length, StandardCharsets.UTF_8).split(" ", -1));
    }

    /** What proves that who says it knows the token: a function of what was asked and the rank that answers. */
    static String proof(byte[] token, String asked, int rank) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(token, ALGORITHM));
            return HexFormat.of().formatHex(mac.doFinal((asked + " " + rank).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    /** Compares in a time that tells nothing. */
    static boolean same(String proof, String other) {
        return MessageDigest.isEqual(proof.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
