package dev.remat.compiler.syntax;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** Lines being printed, with the comments and blank lines of the original put back where they belong. */
final class Page {
    static final int WIDTH = 100;
    private static final int STEP = 2;

    private final StringBuilder out = new StringBuilder();
    private final Trivia trivia;
    private int nextComment;
    private int indent;
    private boolean blockStart = true;

    Page(Trivia trivia) {
        this.trivia = trivia;
    }

    String text() {
        return out.toString();
    }

    /**
     * Comments that stand before {@code location}, each on its own line, and a blank line where the original has one.
     */
    void upTo(Location location, boolean forceBlank) {
        boolean force = commentsUpTo(location, forceBlank);
        blankBefore(location.line(), force);
    }

    /** Comments that are left before the end of a block. */
    void upToEnd(Location end) {
        commentsUpTo(end, false);
    }

    private boolean commentsUpTo(Location location, boolean forceBlank) {
        boolean force = forceBlank;
        while (nextComment < trivia.comments().size() && isBefore(peek(), location)) {
            Trivia.Comment comment = trivia.comments().get(nextComment++);
            blankBefore(comment.line(), force);
            line(new Doc.Text(comment.text()));
            force = false;
        }
        return force;
    }

    private void blankBefore(int line, boolean force) {
        if (!blockStart && (force || line > 1 && trivia.blankLines().get(line - 1))) {
            out.append('\n');
        }
    }

    void line(Doc doc) {
        out.repeat(' ', indent).append(doc.render(indent, WIDTH, STEP)).append('\n');
        blockStart = false;
    }

    /** A comment that followed the line just printed follows it again. */
    void commentsAfter(Location next) {
        if (nextComment < trivia.comments().size() && !peek().ownLine() && isBefore(peek(), next)) {
            out.setLength(out.length() - 1);
            out.append("  ").append(trivia.comments().get(nextComment++).text()).append('\n');
        }
    }

    void indent() {
        indent += STEP;
        blockStart = true;
    }

    void outdent() {
        indent -= STEP;
        blockStart = false;
    }

    /** What is left at the end of the file. */
    void rest() {
        List<Trivia.Comment> comments = trivia.comments();
        while (nextComment < comments.size()) {
            Trivia.Comment comment = comments.get(nextComment++);
            blankBefore(comment.line(), false);
            line(new Doc.Text(comment.text()));
        }
    }

    private Trivia.Comment peek() {
        return trivia.comments().get(nextComment);
    }

    private static boolean isBefore(Trivia.Comment comment, Location location) {
        return comment.line() < location.line()
                || comment.line() == location.line() && comment.column() < location.column();
    }
}
