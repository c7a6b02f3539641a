package dev.remat.runtime.process;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * Why a process stops, as it goes over the wire.
 *
 * @param rank that stops
 * @param code that all processes return
 * @param text for people
 */
public record Stop(int rank, int code, String text) {
    /** Of a process that is gone without a word. */
    static final int LOST = 9;

    private static final String WORD = "stop";
    /** What is longer is cut, so that it fits a line. */
    private static final int MOST_CHARACTERS = 8192;

    private static final int MOST_CODE = 255;

    /** Whether the rank is gone, and others have noticed. */
    public boolean isOfLost() {
        return code == LOST;
    }

    String[] words() {
        return new String[] {WORD, String.valueOf(rank), String.valueOf(code), encoded(text)};
    }

    /** A text as one word. */
    static String encoded(String text) {
        String cut = text.substring(0, Math.min(text.length(), MOST_CHARACTERS));
        return Base64.getEncoder().encodeToString(cut.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws IllegalArgumentException if it is damaged */
    static String decoded(String word) {
        return new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8);
    }

    static boolean isOne(List<String> words) {
        return words.size() == 4 && words.getFirst().equals(WORD);
    }

    /** @throws IllegalArgumentException if they are damaged */
    static Stop of(List<String> words) {
        int code = Integer.parseUnsignedInt(words.get(2));
        if (code > MOST_CODE) {
            throw new IllegalArgumentException("no exit code: " + code);
        }
        return new Stop(Integer.parseUnsignedInt(words.get(1)), code, decoded(words.get(3)));
    }
}
