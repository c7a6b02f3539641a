package dev.remat.runtime.process;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Where ranks are listened to, and what proves that who comes belongs to them.
 *
 * @param token a secret of all ranks of one start
 */
record Meeting(InetAddress host, int port, byte[] token) {
    private static final int TOKEN_BYTES = 32;

    static byte[] newToken() {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return token;
    }

    byte[] toBytes() {
        byte[] address = host.getAddress();
        return ByteBuffer.allocate(2 * Integer.BYTES + token.length + address.length)
                .putInt(port)
                .putInt(token.length)
                .put(token)
                .put(address)
                .array();
    }

    static Meeting of(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int port = in.getInt();
        byte[] token = new byte[Math.clamp(in.getInt(), 0, in.remaining())];
        in.get(token);
        byte[] address = new byte[in.remaining()];
        in.get(address);
        try {
            return new Meeting(InetAddress.getByAddress(address), port, token);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no address: " + e.getMessage(), e);
        }
    }

    /** @param text hexadecimal digits of {@link #toBytes} */
    static Meeting of(String text) {
        return of(HexFormat.of().parseHex(text));
    }

    /** By another secret. */
    Meeting withToken(byte[] other) {
        return new Meeting(host, port, other);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }
}
