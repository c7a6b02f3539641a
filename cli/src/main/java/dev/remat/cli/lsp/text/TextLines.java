package dev.remat.cli.lsp.text;

import dev.remat.ir.diagnostic.Location;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.Range;

/** Places in a text: offsets in UTF-16 code units, positions as editors count them, and locations as compilers do. */
public final class TextLines {
    private final String text;
    /** Where lines begin for editors, which also take a single carriage return for a line end. */
    private final int[] starts;
    /** Where lines begin for the compiler. */
    private final int[] lineFeeds;

    public TextLines(String text) {
        this.text = text;
        this.starts = starts(true);
        this.lineFeeds = starts(false);
    }

    private int[] starts(boolean carriageReturns) {
        IntStream ends = IntStream.range(0, text.length())
                .filter(i -> text.charAt(i) == '\n'
                        || carriageReturns
                                && text.charAt(i) == '\r'
                                && (i + 1 == text.length() || text.charAt(i + 1) != '\n'))
                .map(i -> i + 1);
        return IntStream.concat(IntStream.of(0), ends).toArray();
    }

    /** The nearest offset where there is no such position. */
    public int offset(Position position) {
        if (position.getLine() < 0) {
            return 0;
        }
        return offset(starts, position.getLine(), Math.max(0, position.getCharacter()), "\r\n");
    }

    /** The nearest offset where the text has no such place. */
    public int offset(Location location) {
        return offset(lineFeeds, location.line() - 1, location.column() - 1, "\n");
    }

    /** @param ends characters that end lines */
    private int offset(int[] lines, int line, int column, String ends) {
        if (line >= lines.length) {
            return text.length();
        }
        int end = line + 1 < lines.length ? lines[line + 1] : text.length();
        while (end > lines[line] && ends.indexOf(text.charAt(end - 1)) >= 0) {
            end--;
        }
        return Math.min(lines[line] + column, end);
    }

    /** Inside of a line end of two characters: its beginning, for editors know no place there. */
    public Position position(int offset) {
        boolean inEnd =
                offset > 0 && offset < text.length() && text.charAt(offset - 1) == '\r' && text.charAt(offset) == '\n';
        int known = inEnd ? offset - 1 : offset;
        int found = Arrays.binarySearch(starts, known);
        int line = found >= 0 ? found : -found - 2;
        return new Position(line, known - starts[line]);
    }

    public Range range(int start, int end) {
        return new Range(position(start), position(end));
    }

    public Range range(Mention mention) {
        return range(mention.start(), mention.end());
    }

    /** All of the text. */
    public Range whole() {
        return range(0, text.length());
    }

    /** Where the line of an offset begins. */
    public int lineStart(int offset) {
        return starts[position(offset).getLine()];
    }
}
