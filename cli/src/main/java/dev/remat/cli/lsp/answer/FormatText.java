package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.text.Document;
import dev.remat.compiler.syntax.Formatter;
import dev.remat.ir.diagnostic.ModelException;
import java.util.List;
import org.eclipse.lsp4j.TextEdit;

/** A text in its canonical form, as {@code remat fmt} writes it. */
public final class FormatText {
    private FormatText() {}

    /** One edit of the lines that differ; none where there are none, or the text has mistakes in its syntax. */
    public static List<TextEdit> of(Document document) {
        String before = document.text();
        String after;
        try {
            after = Formatter.format(document.source());
        } catch (ModelException e) {
            // It is shown as a finding.
            return List.of();
        }
        if (after.equals(before)) {
            return List.of();
        }
        int shorter = Math.min(before.length(), after.length());
        int same = 0;
        while (same < shorter && before.charAt(same) == after.charAt(same)) {
            same++;
        }
        int start = same == 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1;
        int end = 0;
        while (end < shorter - start
                && before.charAt(before.length() - 1 - end) == after.charAt(after.length() - 1 - end)) {
            end++;
        }
        // A line end is not to be cut in two, nor a character.
        int cut = before.indexOf('\n', before.length() - end);
        int rest = cut < 0 ? 0 : before.length() - cut - 1;
        return List.of(new TextEdit(
                document.lines().range(start, before.length() - rest), after.substring(start, after.length() - rest)));
    }
}
