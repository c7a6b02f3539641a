package dev.remat.compiler.syntax;

/**
 * A token of a model file by its place.
 *
 * @param text as written; of a bracket that was forgotten, the bracket
 * @param start offset in UTF-16 code units
 * @param end behind the last; the same as {@code start} for what the text lacks
 */
public record SourceToken(Kind kind, String text, int start, int end) {
    /** What a token is, apart from its meaning. */
    public enum Kind {
        /** A word of the language. */
        WORD,
        NAME,
        NUMBER,
        /** With its quotes; the closing one may be missing. */
        STRING,
        /** An operator, a bracket, a comma, a colon. */
        SIGN,
        COMMENT,
        /** The end of a line or statement. */
        END,
        /** What is no token of the language. */
        STRAY
    }

    public boolean is(Kind other) {
        return kind == other;
    }

    /** Whether it is this sign or word. */
    public boolean is(String signOrWord) {
        return (kind == Kind.SIGN || kind == Kind.WORD) && text.equals(signOrWord);
    }
}
