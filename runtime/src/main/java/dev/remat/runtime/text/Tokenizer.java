package dev.remat.runtime.text;

/** Text as numbers and back. */
public sealed interface Tokenizer permits ByteTokenizer, BytePairTokenizer {
    /** @throws dev.remat.runtime.io.DataException if there are no tokens for it */
    int[] encode(byte[] text);

    /** Whether the number stands for text. */
    boolean contains(int token);

    /** The bytes that a token stands for: a part of a character, one or many. */
    byte[] decode(int token);
}
