package dev.remat.runtime.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Turns bytes that come piece by piece into characters; what is no UTF-8 becomes U+FFFD. */
public final class TextStream {
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer rest = ByteBuffer.allocate(0);

    /** The characters that these bytes complete. */
    public String add(byte[] bytes) {
        return decode(bytes, false);
    }

    /** What is left of a character that was not completed. */
    public String end() {
        return decode(new byte[0], true);
    }

    private String decode(byte[] bytes, boolean last) {
        ByteBuffer all = ByteBuffer.allocate(rest.remaining() + bytes.length)
                .put(rest)
                .put(bytes)
                .flip();
        CharBuffer characters = CharBuffer.allocate(all.remaining() + 1);
        decoder.decode(all, characters, last);
        rest = all;
        return characters.flip().toString();
    }
}
