package dev.remat.ir.text;

import java.util.ArrayList;
import java.util.List;

/** Cuts the text form into words, quoted strings and bracketed lists. */
final class TextScanner {
    private static final String PUNCTUATION = "{}()[],=";

    private final String text;
    private int position;

    TextScanner(String text) {
        this.text = text;
    }

    /** Consumes {@code token} if it comes next. */
    boolean accept(String token) {
        boolean found = peek(token);
        position += found ? token.length() : 0;
        return found;
    }

    boolean peek(String token) {
        skipBlanks();
        return text.startsWith(token, position)
                && (PUNCTUATION.contains(token) || !isWordPart(position + token.length()));
    }

    /** Whether the text goes on with {@code start}, be it a part of a word. */
    boolean startsWith(String start) {
        skipBlanks();
        return text.startsWith(start, position);
    }

    boolean atEnd() {
        skipBlanks();
        return position == text.length();
    }

    void expect(String token) {
        if (!accept(token)) {
            throw error("expected " + token);
        }
    }

    /** The longest run without blanks and punctuation. */
    String word() {
        skipBlanks();
        int start = position;
        while (isWordPart(position)) {
            position++;
        }
        if (start == position) {
            throw error("expected a word");
        }
        return text.substring(start, position);
    }

    String quoted() {
        expectQuote();
        StringBuilder out = new StringBuilder();
        while (position < text.length() && text.charAt(position) != '"') {
            char c = text.charAt(position++);
            if (c == '\\' && position < text.length()) {
                char escaped = text.charAt(position++);
                out.append(escaped == 'n' ? '\n' : escaped);
            } else {
                out.append(c);
            }
        }
        expectQuote();
        return out.toString();
    }

    /** Text between brackets, split at commas outside inner brackets. */
    List<String> list(String open, String close) {
        expect(open);
        List<String> items = new ArrayList<>();
        int depth = 0;
        int start = position;
        for (; position < text.length(); position++) {
            char c = text.charAt(position);
            if (depth == 0 && (c == ',' || c == close.charAt(0))) {
                String item = text.substring(start, position).strip();
                start = position + 1;
                if (!item.isEmpty()) {
                    items.add(item);
                }
                if (c != ',') {
                    position++;
                    return items;
                }
            }
            depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
        }
        throw error("expected " + close);
    }

    IllegalArgumentException error(String message) {
        long line = 1
                + text.substring(0, Math.min(position, text.length()))
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
        return new IllegalArgumentException("line " + line + ": " + message);
    }

    private void expectQuote() {
        skipBlanks();
        if (position >= text.length() || text.charAt(position) != '"') {
            throw error("expected a quote");
        }
        position++;
    }

    private boolean isWordPart(int at) {
        return at < text.length()
                && !Character.isWhitespace(text.charAt(at))
                && PUNCTUATION.indexOf(text.charAt(at)) < 0;
    }

    /** Comments are blanks, too. */
    private void skipBlanks() {
        while (position < text.length()) {
            if (text.startsWith("//", position)) {
                int end = text.indexOf('\n', position);
                position = end < 0 ? text.length() : end;
            } else if (Character.isWhitespace(text.charAt(position))) {
                position++;
            } else {
                return;
            }
        }
    }
}
