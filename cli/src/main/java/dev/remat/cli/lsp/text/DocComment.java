package dev.remat.cli.lsp.text;

import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceToken.Kind;
import java.util.ArrayList;
import java.util.List;

/** The comment that stands above a line, or behind it. */
public final class DocComment {
    private DocComment() {}

    /** Of the line that an offset is in; empty if there is none. */
    public static String of(Document document, int offset) {
        int line = document.lines().position(offset).getLine();
        List<String> above = new ArrayList<>();
        String behind = "";
        List<SourceToken> tokens = document.tokens();
        int expected = line - 1;
        for (int i = tokens.size() - 1; i >= 0; i--) {
            SourceToken token = tokens.get(i);
            int at = document.lines().position(token.start()).getLine();
            if (!token.is(Kind.COMMENT) || at > line) {
                continue;
            }
            if (at == line) {
                behind = content(token);
            } else if (at == expected && isAlone(document, token)) {
                above.addFirst(content(token));
                expected--;
            } else {
                break;
            }
        }
        return above.isEmpty() ? behind : String.join("\n", above);
    }

    private static boolean isAlone(Document document, SourceToken token) {
        int start = document.lines().lineStart(token.start());
        return document.text().substring(start, token.start()).isBlank();
    }

    private static String content(SourceToken token) {
        return token.text().replaceFirst("^//[/!]? ?", "").stripTrailing();
    }
}
