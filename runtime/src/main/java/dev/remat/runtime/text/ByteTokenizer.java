package dev.remat.runtime.text;

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
    public byte[] decode(int token) {
        return new byte[] {(byte) token};
    }
}
