package dev.remat.compiler.syntax;

import java.util.BitSet;
import java.util.List;

/**
 * What the syntax tree leaves out and the formatter keeps.
 *
 * @param comments in the order of the file
 * @param blankLines numbers of the lines without token or comment
 */
record Trivia(List<Comment> comments, BitSet blankLines) {
    static final Trivia NONE = new Trivia(List.of(), new BitSet());

    /**
     * A comment without the blanks that end its line.
     *
     * @param ownLine whether nothing else stands on its line
     */
    record Comment(int line, int column, String text, boolean ownLine) {}
}
