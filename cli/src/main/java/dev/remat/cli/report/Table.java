package dev.remat.cli.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines of cells below each other: a column is as wide as its widest cell, and two spaces part it from the next. Whole
 * lines, such as headings, stand between and widen nothing.
 */
public final class Table {
    /** Where the cells of a column stand. */
    public enum Side {
        LEFT,
        RIGHT
    }

    private sealed interface Line {
        record Cells(List<String> texts) implements Line {}

        record Whole(String text) implements Line {}
    }

    private static final String GAP = "  ";

    private final String indent;
    private final List<Side> columns;
    private final int[] widths;
    private final List<Line> lines = new ArrayList<>();

    /** @param indent in front of every line of cells */
    public Table(String indent, Side... columns) {
        this.indent = indent;
        this.columns = List.of(columns);
        this.widths = new int[columns.length];
    }

    /** Adds a line of cells; those that are missing at its end are empty. */
    public Table row(String... cells) {
        if (cells.length > columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells in " + columns.size() + " columns");
        }
        for (int i = 0; i < cells.length; i++) {
            widths[i] = Math.max(widths[i], length(cells[i]));
        }
        lines.add(new Line.Cells(List.of(cells)));
        return this;
    }

    /** Adds a line as it is. */
    public Table line(String text) {
        lines.add(new Line.Whole(text));
        return this;
    }

    /** Adds the lines of another table, which keep its widths. */
    public Table lines(Table other) {
        other.lines().forEach(this::line);
        return this;
    }

    /** All that was added, without spaces at the ends. */
    public List<String> lines() {
        return lines.stream().map(this::text).toList();
    }

    public void print(PrintStream out) {
        lines().forEach(out::println);
    }

    private String text(Line line) {
        return switch (line) {
            case Line.Whole(String text) -> text.stripTrailing();
            case Line.Cells(List<String> cells) -> {
                StringBuilder text = new StringBuilder(indent);
                for (int i = 0; i < cells.size(); i++) {
                    String padding = " ".repeat(widths[i] - length(cells.get(i)));
                    boolean right = columns.get(i) == Side.RIGHT;
                    text.append(i == 0 ? "" : GAP)
                            .append(right ? padding : "")
                            .append(cells.get(i))
                            .append(right ? "" : padding);
                }
                yield text.toString().stripTrailing();
            }
        };
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
