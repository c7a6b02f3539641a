package dev.remat.ir.diagnostic;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Prints findings for people: headline, source line, caret line, notes. */
public final class DiagnosticPrinter {
    private static final int WIDEST_LINE = 160;
    /** Shown as one character each, so that the caret below stands where it should. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}&&[^\t]]");

    private final Function<String, Optional<Source>> sources;

    /** @param sources text of a file by the name that locations give it; empty where it is not to be had */
    public DiagnosticPrinter(Function<String, Optional<Source>> sources) {
        this.sources = sources;
    }

    /** All findings, an empty line between two. */
    public String print(List<Diagnostic> diagnostics) {
        StringBuilder out = new StringBuilder();
        for (Diagnostic diagnostic : diagnostics) {
            if (!out.isEmpty()) {
                out.append('\n');
            }
            print(diagnostic, out);
        }
        return out.toString();
    }

    private void print(Diagnostic diagnostic, StringBuilder out) {
        out.append(diagnostic.headline()).append('\n');
        Location location = diagnostic.location();
        String number = Integer.toString(location.line());
        String margin = " ".repeat(number.length());
        String line = sources.apply(location.file())
                .map(source -> source.line(location.line()))
                .orElse("");
        int start = location.column() - 1;
        boolean shown = !line.isBlank() && start <= line.length() && line.length() <= WIDEST_LINE;
        if (shown) {
            int length = Math.max(1, Math.min(diagnostic.length(), line.length() - start));
            out.append(' ')
                    .append(number)
                    .append(" | ")
                    .append(CONTROL.matcher(line).replaceAll("\uFFFD"))
                    .append('\n');
            out.append(' ').append(margin).append(" | ");
            line.substring(0, start).chars().forEach(c -> out.append(c == '\t' ? '\t' : ' '));
            out.append("^".repeat(length)).append('\n');
        }
        for (String note : diagnostic.notes()) {
            out.append(' ').append(margin).append(" = ").append(note).append('\n');
        }
    }
}
