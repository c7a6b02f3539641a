package dev.remat.ir.json;

import java.util.List;
import java.util.stream.Collectors;

/** JSON that is not what the reader of its format expects; the message tells line and column. */
public final class CorruptJsonException extends RuntimeException {
    /** What kind of thing is wrong. */
    public enum Kind {
        /** No JSON, a field twice, or something that follows the end. */
        SYNTAX,
        /** A field that is missing or unknown. */
        FIELD,
        VALUE
    }

    private final Kind kind;
    private final int line;
    private final int column;
    private final String problem;
    private final List<String> notes;

    /** About the file as a whole; the message is the problem alone. */
    public CorruptJsonException(String problem) {
        super(problem);
        this.kind = Kind.VALUE;
        this.line = 1;
        this.column = 1;
        this.problem = problem;
        this.notes = List.of();
    }

    /**
     * @param line from 1
     * @param column from 1
     * @param notes what may help
     */
    CorruptJsonException(Kind kind, int line, int column, String problem, List<String> notes) {
        super("line " + line + ", column " + column + ": " + problem
                + notes.stream().map(note -> "; " + note).collect(Collectors.joining()));
        this.kind = kind;
        this.line = line;
        this.column = column;
        this.problem = problem;
        this.notes = List.copyOf(notes);
    }

    public Kind kind() {
        return kind;
    }

    public int line() {
        return line;
    }

    public int column() {
        return column;
    }

    /** What is wrong, without location and notes. */
    public String problem() {
        return problem;
    }

    public List<String> notes() {
        return notes;
    }
}
