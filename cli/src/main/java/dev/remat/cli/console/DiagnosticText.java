package dev.remat.cli.console;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.DiagnosticPrinter;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Severity;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.SourceFiles;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Tells what was found in model files, with the lines in question and how to learn more. */
public final class DiagnosticText {
    private DiagnosticText() {}

    /** Prints findings on {@code err}; of an empty list nothing. */
    public static void print(List<Diagnostic> findings, Console console) {
        if (findings.isEmpty()) {
            return;
        }
        console.err().print(new DiagnosticPrinter(DiagnosticText::readSource).print(findings));
        Severity worst = findings.stream().anyMatch(Diagnostic::isError) ? Severity.ERROR : Severity.WARNING;
        List<Diagnostic> counted =
                findings.stream().filter(each -> each.severity() == worst).toList();
        console.note(Count.of(counted.size(), worst.label()) + "; 'remat help error "
                + counted.getFirst().code() + "' explains " + (counted.size() == 1 ? "it" : "the first"));
    }

    private static Optional<Source> readSource(String file) {
        try {
            return Optional.of(SourceFiles.read(Path.of(file)));
        } catch (ModelException | InvalidPathException e) {
            // What the diagnostic is about may be that the file cannot be read; it then stands without its line.
            return Optional.empty();
        }
    }
}
