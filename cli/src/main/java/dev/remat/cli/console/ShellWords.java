package dev.remat.cli.console;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Command lines as they can be typed into a shell. */
public final class ShellWords {
    private static final Pattern PLAIN = Pattern.compile("[\\w./:=,+@%^-]+");

    private ShellWords() {}

    public static String join(List<String> words) {
        return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
