package dev.remat.ir.diagnostic;

/** Words how many there are of something in a message. */
public final class Count {
    private Count() {}

    /** {@code 1 byte}, {@code 2 bytes}: for nouns that take an s. */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** Bytes, as {@link #of} words them. */
    public static String bytes(long number) {
        return of(number, "byte");
    }
}
