package dev.remat.cli;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prints diagnostics the way compilers do: headline, source line, caret, notes. */
final class DiagnosticPrinter {
    private static final String RED = "\u001b[1;31m";
    private static final String YELLOW = "\u001b[1;33m";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";
    private static final int WIDTH = 160;

    private final Console console;
    private final Map<String, List<String>> linesOfFile = new HashMap<>();

    DiagnosticPrinter(Console console) {
        this.console = console;
    }

    void print(List<Diagnostic> diagnostics) {
        for (Diagnostic diagnostic : diagnostics) {
            print(diagnostic);
        }
        long errors = diagnostics.stream().filter(Diagnostic::isError).count();
        if (errors > 0) {
            Diagnostic first = diagnostics.stream().filter(Diagnostic::isError).findFirst().orElseThrow();
            console.note((errors == 1 ? "1 error" : errors + " errors") + "; 'remat help error " + first.code()
                    + "' explains");
        }
    }

    private void print(Diagnostic diagnostic) {
        String label = diagnostic.severity().label() + "[" + diagnostic.code() + "]";
        String color = diagnostic.isError() ? RED : YELLOW;
        console.err().println(styled(BOLD, diagnostic.location() + ":") + " " + styled(color, label) + ": "
                + styled(BOLD, diagnostic.message()));
        printSource(diagnostic, color);
        for (String note : diagnostic.notes()) {
            console.err().println("  = " + note);
        }
    }

    private void printSource(Diagnostic diagnostic, String color) {
        Location place = diagnostic.location();
        List<String> lines = linesOfFile.computeIfAbsent(place.file(), DiagnosticPrinter::readLines);
        if (place.line() > lines.size()) {
            return;
        }
        String line = lines.get(place.line() - 1);
        int caret = Math.min(place.column() - 1, line.length());
        int from = Math.max(0, caret - WIDTH / 2);
        int to = Math.min(line.length(), from + WIDTH);
        int underlined = Math.clamp(diagnostic.length(), 1, Math.max(1, to - caret));
        String margin = String.valueOf(place.line());
        console.err().println(" " + margin + " | " + printable(line.substring(from, to)));
        console.err().println(" " + " ".repeat(margin.length()) + " | " + blank(line.substring(from, caret))
                + styled(color, "^".repeat(underlined)));
    }

    private static List<String> readLines(String file) {
        try {
            return Files.readString(Path.of(file)).lines().toList();
        } catch (IOException | InvalidPathException e) {
            // The diagnostic stands without its line, for example if the file has been deleted meanwhile.
            return List.of();
        }
    }

    /** Control characters would move the caret or the terminal. */
    private static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\t]]", "\ufffd");
    }

    private static String blank(String text) {
        return text.replaceAll("[^\t]", " ");
    }

    private String styled(String style, String text) {
        return console.errIsTerminal() ? style + text + PLAIN : text;
    }
}
