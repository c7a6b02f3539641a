package dev.remat.runtime.process;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** How ranks that meet prove to each other that they know one secret, and what they say at it. */
final class Greeting {
    /** What the first begins with, and a question behind it. */
    static final String FIRST = "remat-rendezvous";

    private static final String HELLO = "hello";
    private static final String RANK = "rank";
    private static final String ALL = "all";
    private static final String REFUSED = "refused";
    private static final int NONCE_BYTES = 16;

    private Greeting() {}

    static String question() {
        byte[] nonce = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        return HexFormat.of().formatHex(nonce);
    }

    /** Bytes as a word. */
    static String word(byte[] bytes) {
        // No word is empty.
        return "=" + Base64.getEncoder().encodeToString(bytes);
    }

    /** @throws IllegalArgumentException if it is none */
    static byte[] bytes(String word) {
        if (!word.startsWith("=")) {
            throw new IllegalArgumentException("no bytes");
        }
        return Base64.getDecoder().decode(word.substring(1));
    }

    /**
     * What a rank answers.
     *
     * @param asked the question of the first
     * @param asks its own
     * @param says what all are to know of it, as a word
     */
    record Hello(int rank, int ranks, String asked, String asks, String says) {
        String[] words(byte[] secret) {
            return new String[] {HELLO, String.valueOf(rank), String.valueOf(ranks), asks, says, proof(secret)};
        }

        private String proof(byte[] secret) {
            return ControlConnection.proof(secret, String.join(" ", HELLO, asked, asks, says, "" + ranks), rank);
        }

        /** @throws IllegalArgumentException if that is no greeting, or does not prove that it knows the secret */
        static Hello of(List<String> words, String asked, byte[] secret) {
            if (words.size() != 6 || !words.getFirst().equals(HELLO)) {
                throw new IllegalArgumentException("no greeting");
            }
            Hello hello = new Hello(
                    Integer.parseUnsignedInt(words.get(1)),
                    Integer.parseUnsignedInt(words.get(2)),
                    asked,
                    words.get(3),
                    words.get(4));
            if (!ControlConnection.same(words.get(5), hello.proof(secret))) {
                throw new IllegalArgumentException("another secret");
            }
            bytes(hello.says);
            return hello;
        }

        /** What the first proves itself by, behind all that ranks have said. */
        String seal(byte[] secret, List<String> said) {
            return ControlConnection.proof(secret, String.join(" ", ALL, asks, String.join(" ", said)), rank);
        }
    }

    static String[] said(int rank, String word) {
        return new String[] {RANK, String.valueOf(rank), word};
    }

    static String[] sealed(String seal) {
        return new String[] {ALL, seal};
    }

    static String[] refused(String why) {
        return new String[] {REFUSED, word(why.getBytes(StandardCharsets.UTF_8))};
    }

    /** What one of {@link #said} says. @throws IllegalArgumentException if it is none, or of another rank */
    static String saidBy(int rank, List<String> words) {
        if (words.size() != 3 || !words.getFirst().equals(RANK) || !words.get(1).equals(String.valueOf(rank))) {
            throw new IllegalArgumentException("no word of rank " + rank);
        }
        bytes(words.get(2));
        return words.get(2);
    }

    /** @throws IllegalArgumentException if it is another than the seal */
    static void demandSeal(List<String> words, String seal) {
        if (words.size() != 2 || !words.getFirst().equals(ALL) || !ControlConnection.same(words.get(1), seal)) {
            throw new IllegalArgumentException("another secret");
        }
    }

    static boolean isRefused(List<String> words) {
        return words.size() == 2 && words.getFirst().equals(REFUSED);
    }

    static String reason(List<String> words) {
        return new String(bytes(words.get(1)), StandardCharsets.UTF_8);
    }
}
