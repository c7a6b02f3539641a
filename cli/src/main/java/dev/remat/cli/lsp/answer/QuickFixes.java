package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.text.Document;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.lsp4j.CodeAction;
import org.eclipse.lsp4j.CodeActionKind;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.TextEdit;
import org.eclipse.lsp4j.WorkspaceEdit;

/** Ways out that findings name, as edits. */
public final class QuickFixes {
    private static final Pattern MEANT = Pattern.compile("did you mean '([^']+)'\\?");
    private static final Map<String, String> SIGNS = signs();

    private final Document document;
    private final List<CodeAction> actions = new ArrayList<>();

    private QuickFixes(Document document) {
        this.document = document;
    }

    /** Notes about a sign, and what is to stand there. */
    private static Map<String, String> signs() {
        Map<String, String> signs = new LinkedHashMap<>();
        signs.put("comments start with //", "//");
        signs.put("write 'not'", "not ");
        signs.put("write 'and'", "and");
        signs.put("write 'or', or '|>' to chain calls", "or");
        signs.put("powers are written with **", "**");
        return signs;
    }

    /** For the findings that an editor asks about. */
    public static List<CodeAction> of(Document document, List<Diagnostic> findings) {
        QuickFixes fixes = new QuickFixes(document);
        findings.stream()
                .filter(finding -> FindingsOf.SOURCE.equals(finding.getSource()))
                .forEach(fixes::add);
        return fixes.actions;
    }

    private void add(Diagnostic finding) {
        for (String note : finding.getMessage().split("\n")) {
            fix(finding, note).ifPresent(edit -> {
                CodeAction action = new CodeAction(edit.title());
                action.setKind(CodeActionKind.QuickFix);
                action.setDiagnostics(List.of(finding));
                action.setIsPreferred(edit.title().startsWith("Write"));
                Map<String, List<TextEdit>> changes = new LinkedHashMap<>();
                changes.put(document.uri(), edit.edits());
                action.setEdit(new WorkspaceEdit(changes));
                actions.add(action);
            });
        }
    }

    private record Fix(String title, List<TextEdit> edits) {
        Fix(String title, Range range, String text) {
            this(title, List.of(new TextEdit(range, text)));
        }
    }

    private Optional<Fix> fix(Diagnostic finding, String note) {
        Range range = finding.getRange();
        Position start = range.getStart();
        Matcher meant = MEANT.matcher(note);
        if (meant.matches()) {
            return Optional.of(new Fix("Write '" + meant.group(1) + "'", nameAt(range), meant.group(1)));
        }
        if (SIGNS.containsKey(note)) {
            String sign = SIGNS.get(note);
            return Optional.of(new Fix("Write '" + sign.strip() + "'", repeated(range), sign));
        }
        return switch (note) {
            case "make it the first line" ->
                Optional.of(new Fix(
                        "Begin with 'remat 1'", new Range(new Position(0, 0), new Position(0, 0)), "remat 1\n\n"));
            case "leave it out, or let its name start with _" ->
                Optional.of(new Fix("Let its name start with _", new Range(start, start), "_"));
            case "leave out the 'let'" -> Optional.of(new Fix("Leave out the 'let'", behindBlanks(range), ""));
            case "a call has no effect by itself: bind its result, as in y = f(x)" ->
                Optional.of(new Fix("Bind its result", statement(start), "y = "));
            case "such as: train { minimize loss; optimizer adamw(lr = 3e-4) }" -> {
                Position end = document.lines().whole().getEnd();
                String before = document.text().endsWith("\n") ? "\n" : "\n\n";
                yield Optional.of(new Fix(
                        "Add a train block",
                        new Range(end, end),
                        before + "train {\n  minimize loss\n  optimizer adamw(lr = 3e-4)\n}\n"));
            }
            default -> Optional.empty();
        };
    }

    /** The whole name at the place, which findings of parts of a path underline otherwise. */
    private Range nameAt(Range range) {
        int offset = document.lines().offset(range.getStart());
        return document.names()
                .at(offset)
                .filter(mention -> mention.start() == offset)
                .map(document.lines()::range)
                .orElse(range);
    }

    /** {@code &&} where {@code &} is told. */
    private Range repeated(Range range) {
        String text = document.text();
        int start = document.lines().offset(range.getStart());
        int end = Math.min(text.length(), start + 1);
        while (end < text.length() && end < start + 2 && text.charAt(end) == text.charAt(start)) {
            end++;
        }
        return document.lines().range(start, end);
    }

    private Range behindBlanks(Range range) {
        int end = document.lines().offset(range.getEnd());
        while (end < document.text().length() && document.text().charAt(end) == ' ') {
            end++;
        }
        return new Range(range.getStart(), document.lines().position(end));
    }

    /** Where the statement of a line begins. */
    private Range statement(Position at) {
        int start = document.lines().lineStart(document.lines().offset(at));
        while (start < document.text().length()
                && Character.isWhitespace(document.text().charAt(start))) {
            start++;
        }
        return document.lines().range(start, start);
    }
}
