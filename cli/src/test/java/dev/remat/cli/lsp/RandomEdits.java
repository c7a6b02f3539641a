package dev.remat.cli.lsp;

import java.util.List;
import java.util.SplittableRandom;

/** Changes to a text as people, editors and slips of the hand make them. */
final class RandomEdits {
    private static final List<String> PIECES = List.of(
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            "=",
            "|>",
            ":",
            ".",
            "\n",
            " ",
            "x",
            "relu",
            "linear(x, 8)",
            "\"",
            "//",
            "layer F(a) { return a }",
            "as ",
            "if ",
            "for i in range(2) { ",
            "repeat 2 {",
            "param w: f32[8] = zeros\n",
            "-",
            "**",
            "1e9",
            "é",
            "😀",
            "\r\n",
            "\t",
            "train {",
            "symbol Q",
            "include \"y.model\"",
            "return x",
            "#",
            "loss");

    private final SplittableRandom random;

    RandomEdits(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** What comes to stand for {@code removed} characters from {@code offset} on. */
    record Edit(int offset, int removed, String inserted) {
        String apply(String text) {
            return text.substring(0, offset) + inserted + text.substring(offset + removed);
        }
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    Edit next(String text) {
        int offset = boundary(text, random.nextInt(text.length() + 1));
        return switch (random.nextInt(6)) {
            case 0 -> new Edit(offset, 0, PIECES.get(random.nextInt(PIECES.size())));
            case 1 ->
                new Edit(offset, boundary(text, Math.min(text.length(), offset + 1 + random.nextInt(6))) - offset, "");
            case 2 -> line(text, offset, "");
            case 3 -> {
                Edit line = line(text, offset, "");
                yield new Edit(line.offset, 0, text.substring(line.offset, line.offset + line.removed));
            }
            case 4 -> {
                int from = boundary(text, random.nextInt(text.length() + 1));
                int to = boundary(text, Math.min(text.length(), from + random.nextInt(30)));
                yield new Edit(offset, 0, text.substring(from, to));
            }
            default ->
                new Edit(
                        offset,
                        boundary(text, Math.min(text.length(), offset + random.nextInt(3))) - offset,
                        PIECES.get(random.nextInt(PIECES.size())));
        };
    }

    private static Edit line(String text, int offset, String inserted) {
        int start = text.lastIndexOf('\n', offset - 1) + 1;
        int end = text.indexOf('\n', offset);
        return new Edit(start, (end < 0 ? text.length() : end + 1) - start, inserted);
    }

    /** Not inside of a character, nor of a line end. */
    private static int boundary(String text, int offset) {
        boolean inside = offset > 0
                && offset < text.length()
                && (Character.isLowSurrogate(text.charAt(offset))
                        || text.charAt(offset - 1) == '\r' && text.charAt(offset) == '\n');
        return inside ? offset - 1 : offset;
    }
}
