package dev.remat.runtime.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * A visible character for every byte, as GPT-2 (Radford et al., 2019) writes them: bytes that are printable in Latin-1
 * stand for themselves, the others for the characters from U+0100 on, in their order.
 */
final class ByteAlphabet {
    private static final int BYTES = 256;
    private static final char[] CHARACTERS = characters();
    private static final short[] UNITS = units();

    private ByteAlphabet() {}

    private static char[] characters() {
        char[] characters = new char[BYTES];
        char next = BYTES;
        for (int unit = 0; unit < BYTES; unit++) {
            boolean visible = unit >= '!' && unit <= '~' || unit >= 0xa1 && unit <= 0xac || unit >= 0xae;
            characters[unit] = visible ? (char) unit : next++;
        }
        return characters;
    }

    /** Bytes by their characters; -1 where a character stands for none. */
    private static short[] units() {
        short[] units = new short[2 * BYTES];
        Arrays.fill(units, (short) -1);
        for (int unit = 0; unit < BYTES; unit++) {
            units[CHARACTERS[unit]] = (short) unit;
        }
        return units;
    }

    /** UTF-8 in the alphabet. */
    static String write(String text) {
        StringBuilder written = new StringBuilder();
        for (byte unit : text.getBytes(StandardCharsets.UTF_8)) {
            written.append(CHARACTERS[Byte.toUnsignedInt(unit)]);
        }
        return written.toString();
    }

    /** The bytes of what is written in the alphabet; empty if another character is there. */
    static Optional<byte[]> read(String written) {
        byte[] bytes = new byte[written.length()];
        for (int i = 0; i < bytes.length; i++) {
            int unit = written.charAt(i) < UNITS.length ? UNITS[written.charAt(i)] : -1;
            if (unit < 0) {
                return Optional.empty();
            }
            bytes[i] = (byte) unit;
        }
        return Optional.of(bytes);
    }
}
