package dev.remat.runtime.text;

import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/** Every byte is a token. */
public record ByteTokenizer() implements Tokenizer {
    private static final int BYTES = 256;

    @Override
    public int[] encode(byte[] text) {
        int[] tokens = new int[text.length];
        for (int i = 0; i < text.length; i++) {
            tokens[i] = Byte.toUnsignedInt(text[i]);
        }
        return tokens;
    }

    @Override
    public boolean contains(int token) {
        return token >= 0 && token < BYTES;
    }

    @Override
    public String decode(int... tokens) {
        byte[] bytes = new byte[tokens.length];
        for (int i = 0; i < tokens.length; i++) {
            bytes[i] = (byte) tokens[i];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public Framing framing() {
        return Framing.NONE;
    }

    @Override
    public OptionalInt token(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length == 1 ? OptionalInt.of(Byte.toUnsignedInt(bytes[0])) : OptionalInt.empty();
    }

    @Override
    public int padding() {
        return 0;
    }
}
