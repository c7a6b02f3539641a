package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Analyze;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.model.ModelPlan;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.TextLines;
import dev.remat.compiler.syntax.SourceToken;
import dev.remat.ir.diagnostic.Location;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.DiagnosticRelatedInformation;
import org.eclipse.lsp4j.DiagnosticSeverity;
import org.eclipse.lsp4j.Range;

/** Findings of the compiler as editors show them: code, message, and below that what else there is to say. */
public final class FindingsOf {
    /** What editors name as the teller. */
    public static final String SOURCE = "remat";

    private static final Pattern PLACE = Pattern.compile("(.+) at (.+):(\\d{1,9}):(\\d{1,9})");

    private final Analysis analysis;
    private final Documents documents;
    private final Map<String, List<Diagnostic>> byUri = new LinkedHashMap<>();

    private FindingsOf(Analysis analysis, Documents documents) {
        this.analysis = analysis;
        this.documents = documents;
    }

    /** By the URI of the text that they are about, the model's own first and be there none of it. */
    public static Map<String, List<Diagnostic>> of(Analysis analysis, Optional<ModelPlan> plan, Documents documents) {
        FindingsOf findings = new FindingsOf(analysis, documents);
        findings.byUri.put(analysis.document().uri(), new ArrayList<>());
        analysis.findings().forEach(findings::add);
        plan.ifPresent(made -> made.findings().forEach(findings::add));
        analysis.complaint().or(() -> plan.flatMap(ModelPlan::complaint)).ifPresent(findings::complain);
        return findings.byUri;
    }

    private void add(dev.remat.ir.diagnostic.Diagnostic finding) {
        Optional<Document> found = document(finding.location());
        Document document = found.orElse(analysis.document());
        Range range = found.isPresent() ? range(document, finding) : settings();
        List<String> lines = new ArrayList<>(List.of(finding.message()));
        lines.addAll(finding.notes());
        Diagnostic shown = new Diagnostic(
                range,
                String.join("\n", lines),
                finding.isError() ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
                SOURCE,
                finding.code());
        List<DiagnosticRelatedInformation> related =
                finding.notes().stream().flatMap(note -> related(note).stream()).toList();
        if (!related.isEmpty()) {
            shown.setRelatedInformation(related);
        }
        byUri.computeIfAbsent(document.uri(), _ -> new ArrayList<>()).add(shown);
    }

    private void complain(String why) {
        byUri.get(analysis.document().uri())
                .add(new Diagnostic(settings(), why, DiagnosticSeverity.Warning, SOURCE + " plan"));
    }

    /** The comment that sets what the model is planned with, else its name. */
    private Range settings() {
        Document document = analysis.document();
        Optional<SourceToken> comment = analysis.words().comment();
        int start = document.lines().offset(Analyze.placeOf(analysis));
        return document.lines().range(start, comment.map(SourceToken::end).orElse(start));
    }

    private Optional<Document> document(Location location) {
        return location.file().equals(analysis.document().file())
                ? Optional.of(analysis.document())
                : documents.ofFile(location.file());
    }

    private static Range range(Document document, dev.remat.ir.diagnostic.Diagnostic finding) {
        TextLines lines = document.lines();
        int start = lines.offset(finding.location());
        Location last = new Location(
                finding.location().file(),
                finding.location().line(),
                finding.location().column() + finding.length());
        return lines.range(start, Math.max(start, lines.offset(last)));
    }

    private Optional<DiagnosticRelatedInformation> related(String note) {
        Matcher place = PLACE.matcher(note);
        if (!place.matches() || !isPath(place.group(2))) {
            return Optional.empty();
        }
        Location location = new Location(
                place.group(2),
                Math.max(1, Integer.parseInt(place.group(3))),
                Math.max(1, Integer.parseInt(place.group(4))));
        return document(location).map(document -> {
            int start = document.lines().offset(location);
            int end = document.names().at(start).map(mention -> mention.end()).orElse(start);
            return new DiagnosticRelatedInformation(
                    new org.eclipse.lsp4j.Location(
                            document.uri(), document.lines().range(start, end)),
                    note);
        });
    }

    private static boolean isPath(String text) {
        try {
            return !Path.of(text).toString().isEmpty();
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
