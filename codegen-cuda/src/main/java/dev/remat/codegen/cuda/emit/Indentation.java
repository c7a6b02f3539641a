package dev.remat.codegen.cuda.emit;

/** Indents generated text by its braces, so that people can read it. */
final class Indentation {
    private Indentation() {}

    static String of(String text) {
        StringBuilder out = new StringBuilder();
        int depth = 0;
        for (String line : text.lines().toList()) {
            int opened = 0;
            int least = 0;
            for (int i = 0; i < line.length(); i++) {
                char c = line.charAt(i);
                opened += c == '{' ? 1 : c == '}' ? -1 : 0;
                least = Math.min(least, opened);
            }
            if (!line.startsWith("#")) {
                out.repeat("    ", depth + least);
            }
            out.append(line).append('\n');
            depth += opened;
        }
        return out.toString();
    }
}
