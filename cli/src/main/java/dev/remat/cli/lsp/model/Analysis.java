package dev.remat.cli.lsp.model;

import dev.remat.cli.lsp.text.Document;
import dev.remat.compiler.model.ModelSession;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import java.util.Optional;

/**
 * What the compiler says of a text.
 *
 * @param files that it was read from; of a text with mistakes in its syntax those that were come by
 * @param findings as the command line tells them
 * @param complaint why the model cannot be planned as the settings ask, if so
 * @param elaborated what names stood for, with fewest symbols set first
 * @param step to be planned; empty if nothing asks for a plan or the model has mistakes
 */
public record Analysis(
        Document document,
        List<Source> files,
        PlanWords words,
        List<Diagnostic> findings,
        Optional<String> complaint,
        List<StandsFor> elaborated,
        Optional<Asked> step) {
    /** A step that can be planned. */
    public record Asked(PlanAsked options, ModelSession session) {}

    public Analysis {
        files = List.copyOf(files);
        findings = List.copyOf(findings);
        elaborated = List.copyOf(elaborated);
    }

    public boolean hasErrors() {
        return findings.stream().anyMatch(Diagnostic::isError);
    }

    /** In symbols as far as they are open. */
    public Optional<StandsFor.Facts> symbolic(Location place) {
        return elaborated.stream().flatMap(each -> each.find(place).stream()).findFirst();
    }

    /** With what the settings set. */
    public Optional<StandsFor.Facts> set(Location place) {
        return elaborated.reversed().stream()
                .flatMap(each -> each.find(place).stream())
                .findFirst();
    }

    /** Names that the values of a place have in plans. */
    public List<String> valueNames(Location place) {
        return elaborated.reversed().stream()
                .map(each -> each.find(place).map(each::names).orElse(List.of()))
                .filter(names -> !names.isEmpty())
                .findFirst()
                .orElse(List.of());
    }
}
