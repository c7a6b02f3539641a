package dev.remat.runtime.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells the text of tokens that come one by one, as soon as its characters are complete. A token is read after those
 * before it back to where something was told, for its text may depend on them.
 */
public final class TokenStream {
    private static final char INCOMPLETE = '\ufffd';
    /** After so many tokens what looks like an incomplete character is told as it is: the text is no UTF-8. */
    private static final int MAX_HELD = 32;

    private final Tokenizer tokenizer;
    private final List<Integer> tokens = new ArrayList<>();
    /** How many of the tokens are told as a whole. */
    private int done;
    /** Length of what is told of the text of these tokens. */
    private int told;

    public TokenStream(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** The text that these tokens complete. */
    public String add(int... more) {
        for (int token : more) {
            tokens.add(token);
        }
        String text = text();
        int end = text.length();
        while (tokens.size() - done <= MAX_HELD && end > told && text.charAt(end - 1) == INCOMPLETE) {
            end--;
        }
        String piece = text.substring(Math.min(told, end), end);
        told = end;
        if (end == text.length()) {
            tokens.subList(0, done).clear();
            done = tokens.size();
            told = text().length();
        }
        return piece;
    }

    /** What is left of a character that was not completed. */
    public String end() {
        String text = text();
        return text.substring(Math.min(told, text.length()));
    }

    private String text() {
        return tokenizer.decode(tokens.stream().mapToInt(Integer::intValue).toArray());
    }
}
