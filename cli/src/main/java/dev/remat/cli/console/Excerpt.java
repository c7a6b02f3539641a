package dev.remat.cli.console;

/** What users wrote, as messages repeat it: all of it, or the beginning of what nobody would read to its end. */
public final class Excerpt {
    private static final int LONGEST = 60;

    private Excerpt() {}

    public static String of(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
