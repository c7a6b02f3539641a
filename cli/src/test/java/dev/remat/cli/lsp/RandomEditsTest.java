package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.lsp.answer.Completions;
import dev.remat.cli.lsp.answer.FindingsOf;
import dev.remat.cli.lsp.answer.FormatText;
import dev.remat.cli.lsp.answer.Hints;
import dev.remat.cli.lsp.answer.HoverText;
import dev.remat.cli.lsp.answer.Outline;
import dev.remat.cli.lsp.answer.Places;
import dev.remat.cli.lsp.answer.QuickFixes;
import dev.remat.cli.lsp.answer.SignatureAt;
import dev.remat.cli.lsp.answer.TokenTypes;
import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Analyze;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.compiler.syntax.SourceToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.TextDocumentContentChangeEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever is done to a text, every question has an answer, and every place of an answer is in the text. */
@Tag("slow")
class RandomEditsTest {
    private static final boolean ALL = System.getProperty("remat.cases", "").equals("all");
    private static final int EDITS = ALL ? 100_000 : 200;
    /** Edits of a text before the next one is taken. */
    private static final int IN_A_ROW = 25;

    @Test
    void everyQuestionHasAnAnswerInTheText() throws IOException {
        List<Path> samples;
        try (Stream<Path> files = Files.list(Path.of("../samples"))) {
            samples = files.filter(file -> file.toString().endsWith(".model"))
                    .sorted()
                    .toList();
        }
        RandomEdits edits = new RandomEdits(40);
        Document document = null;
        for (int i = 0; i < EDITS; i++) {
            if (i % IN_A_ROW == 0) {
                Path sample = samples.get(edits.below(samples.size()));
                document = new Document(sample.toUri().toString(), 1, Files.readString(sample));
            }
            String before = document.text();
            RandomEdits.Edit edit = edits.next(before);
            TextDocumentContentChangeEvent change = new TextDocumentContentChangeEvent(
                    document.lines().range(edit.offset(), edit.offset() + edit.removed()), edit.inserted());
            document = document.edited(i, List.of(change));
            assertThat(document.text()).isEqualTo(edit.apply(before));
            ask(document, edits.below(document.text().length() + 1), i % 4 == 0);
        }
    }

    private static void ask(Document document, int offset, boolean whole) {
        String text = document.text();
        for (SourceToken token : document.tokens()) {
            assertThat(text.substring(token.start(), token.end())).isEqualTo(token.text());
        }
        for (Mention mention : document.names().mentions()) {
            assertThat(text.substring(mention.start(), mention.end())).isEqualTo(mention.name());
        }
        Documents documents = new Documents();
        documents.put(document);
        Completions.at(document, offset, documents, true);
        SignatureAt.of(document, offset, documents);
        Places.definition(document, offset, documents)
                .forEach(
                        place -> assertThat(place.getRange().getEnd().getLine()).isNotNegative());
        Places.highlights(document, offset, documents).forEach(place -> check(document, place.getRange()));
        Outline.symbols(document).forEach(symbol -> check(document, symbol.getRange()));
        Outline.folds(document)
                .forEach(fold -> assertThat(fold.getEndLine())
                        .isGreaterThanOrEqualTo(fold.getStartLine())
                        .isLessThan((int) text.lines().count() + 1));
        assertThat(TokenTypes.of(document, documents).size() % 5).isZero();
        FormatText.of(document).forEach(edit -> check(document, edit.getRange()));
        if (whole) {
            Analysis analysis = Analyze.run(document, documents.includes(document), "", () -> false);
            Map<String, List<Diagnostic>> findings = FindingsOf.of(analysis, Optional.empty(), documents);
            List<Diagnostic> own = findings.get(document.uri());
            own.forEach(finding -> check(document, finding.getRange()));
            QuickFixes.of(document, own);
            HoverText.at(document, offset, Optional.of(analysis), Optional.empty(), documents)
                    .ifPresent(hover -> check(document, hover.getRange()));
            Hints.in(document.lines().whole(), document, analysis, Optional.empty())
                    .forEach(hint -> check(document, new Range(hint.getPosition(), hint.getPosition())));
        }
    }

    /** The range is of the text as it is: there and back is the same. */
    private static void check(Document document, Range range) {
        for (Position end : List.of(range.getStart(), range.getEnd())) {
            assertThat(document.lines().position(document.lines().offset(end))).isEqualTo(end);
        }
        assertThat(document.lines().offset(range.getEnd()))
                .isGreaterThanOrEqualTo(document.lines().offset(range.getStart()));
    }
}
