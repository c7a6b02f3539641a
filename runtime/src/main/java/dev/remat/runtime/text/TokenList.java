package dev.remat.runtime.text;

import java.util.Arrays;

/** Numbers of tokens, to which more are added. */
final class TokenList {
    private static final int LARGEST = Integer.MAX_VALUE - 8;

    private int[] tokens = new int[16];
    private int size;

    void add(int token) {
        if (size == tokens.length) {
            tokens = Arrays.copyOf(tokens, (int) Math.min(2L * size, LARGEST));
        }
        tokens[size++] = token;
    }

    void addAll(int[] more) {
        for (int token : more) {
            add(token);
        }
    }

    int[] toArray() {
        return Arrays.copyOf(tokens, size);
    }
}
