package dev.remat.cli.lsp.text;

import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The call whose arguments the cursor stands in.
 *
 * @param callee the name before the bracket
 * @param argument which of the written arguments the cursor is in, from 0
 * @param label name of that argument, where one is written
 * @param labels names of all arguments that are written before the cursor and have one
 * @param piped whether a value comes in through {@code |>}
 */
public record CursorCall(SourceToken callee, int argument, Optional<String> label, List<String> labels, boolean piped) {
    public CursorCall {
        labels = List.copyOf(labels);
    }

    /** What is written before the cursor on its line and the lines that it goes on from, without comments. */
    static List<SourceToken> before(Document document, int offset) {
        List<SourceToken> before = new ArrayList<>();
        for (SourceToken token : document.tokens()) {
            if (token.start() >= offset) {
                break;
            }
            if (!token.is(Kind.COMMENT) && !token.is(Kind.END)) {
                before.add(token);
            }
        }
        return before;
    }

    /** Empty outside of brackets. */
    public static Optional<CursorCall> at(Document document, int offset) {
        List<SourceToken> tokens = before(document, offset);
        List<String> labels = new ArrayList<>();
        Optional<String> label = Optional.empty();
        int depth = 0;
        int argument = 0;
        for (int i = tokens.size() - 1; i >= 0; i--) {
            SourceToken token = tokens.get(i);
            if (token.is(")") || token.is("]")) {
                depth++;
            } else if (token.is("{") || token.is("}")) {
                return Optional.empty();
            } else if (token.is("(") || token.is("[")) {
                if (depth == 0) {
                    boolean called = token.is("(") && i > 0 && tokens.get(i - 1).is(Kind.NAME);
                    boolean defines = i > 1
                            && (tokens.get(i - 2).is("layer")
                                    || tokens.get(i - 2).is("model")
                                    || tokens.get(i - 2).is("optimizer")
                                            && tokens.get(i - 2).is(Kind.WORD));
                    boolean piped = i > 1 && tokens.get(i - 2).is("|>");
                    return called && !defines
                            ? Optional.of(new CursorCall(tokens.get(i - 1), argument, label, labels, piped))
                            : Optional.empty();
                }
                depth--;
            } else if (depth == 0 && token.is(",")) {
                argument++;
            } else if (depth == 0 && token.is("=") && i > 1 && tokens.get(i - 1).is(Kind.NAME)) {
                String name = tokens.get(i - 1).text();
                labels.add(name);
                if (argument == 0 && label.isEmpty()) {
                    label = Optional.of(name);
                }
            }
        }
        return Optional.empty();
    }
}
