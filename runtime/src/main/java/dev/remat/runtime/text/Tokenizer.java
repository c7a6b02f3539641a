package dev.remat.runtime.text;

import java.util.OptionalInt;

/** Text as numbers and back. */
public sealed interface Tokenizer permits ByteTokenizer, TokenizerFile {
    /**
     * The tokens of a text alone, without special ones around it.
     *
     * @throws dev.remat.runtime.io.DataException if there are none for a part of it
     */
    int[] encode(byte[] text);

    /** Whether the number stands for text. */
    boolean contains(int token);

    /** The text of tokens, special ones as they are written; a character that is not whole is U+FFFD. */
    String decode(int... tokens);

    /** The special tokens around a text. */
    Framing framing();

    /** The number of a token that is written so. */
    OptionalInt token(String text);

    /** What fills places after a text. */
    int padding();
}
