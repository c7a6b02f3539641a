package dev.remat.ir.diagnostic;

import java.util.List;

/** Words how many there are of something in a message. */
public final class Count {
    private static final int MOST_NAMED = 4;

    private Count() {}

    /** {@code 1 byte}, {@code 2 bytes}: for nouns that take an s. */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** Bytes, as {@link #of} words them. */
    public static String bytes(long number) {
        return of(number, "byte");
    }

    /** The first of some names, and how many more there are. */
    public static String some(List<String> names) {
        List<String> named = names.stream().limit(MOST_NAMED).toList();
        return String.join(", ", named)
                + (names.size() > named.size() ? " and " + (names.size() - named.size()) + " more" : "");
    }
}
