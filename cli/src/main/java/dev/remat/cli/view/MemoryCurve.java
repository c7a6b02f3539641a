package dev.remat.cli.view;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.Stay;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Live bytes over the steps of a plan, drawn in characters. A column stands for a run of steps and is as high as the
 * fullest of them; a line below tells what most of them are. What is in memory throughout is the lowest line alone, so
 * that the others show what changes.
 *
 * @param columns width of the drawing in characters
 * @param rows height of the curve in lines
 * @param unicode whether characters beyond ASCII can be shown
 */
public record MemoryCurve(PlanAccount account, int columns, int rows, boolean unicode) {
    private static final int AXIS = 11;
    private static final int LEAST_WIDTH = 8;
    /** Fills of a character from below, in eighths. */
    private static final String EIGHTHS = " ▁▂▃▄▅▆▇█";

    private static final int PARTS = 8;

    /** What a step is for, by the letter that stands below it. */
    private enum Phase {
        FORWARD('f'),
        RECOMPUTED('r'),
        BACKWARD('b'),
        UPDATE('u');

        private final char letter;

        Phase(char letter) {
            this.letter = letter;
        }

        static Phase of(KernelStep step) {
            if (step.recomputed()) {
                return RECOMPUTED;
            }
            return switch (step.role()) {
                case FORWARD -> FORWARD;
                case BACKWARD -> BACKWARD;
                case UPDATE -> UPDATE;
            };
        }
    }

    /**
     * Bytes as heights above the lowest line.
     *
     * @param bottom bytes at its upper edge
     * @param top bytes at the upper edge of the highest line
     * @param lines between the two
     */
    private record Scale(long bottom, long top, int lines) {
        /** How much of a line, the first above the lowest being 1, is below this many bytes; what is there is seen. */
        int eighths(long bytes, int line) {
            double height = top == bottom ? 0 : (double) (bytes - bottom) * lines * PARTS / (top - bottom);
            return Math.clamp((long) Math.ceil(height) - (line - 1L) * PARTS, 0, PARTS);
        }

        /** The line in which so many bytes end. */
        int row(long bytes) {
            int row = 1;
            while (row < lines && eighths(bytes, row + 1) > 0) {
                row++;
            }
            return row;
        }
    }

    /** Without spaces at the ends of lines. */
    public List<String> lines() {
        int steps = account.stepCount();
        if (steps == 0) {
            return List.of("no steps");
        }
        int width = Math.max(LEAST_WIDTH, columns - AXIS);
        long[] level = new long[width];
        for (int c = 0; c < width; c++) {
            for (int k = first(c, width); k < end(c, width); k++) {
                level[c] = Math.max(level[c], account.liveBytes(k));
            }
        }
        long peak = account.liveBytes(account.peakStep());
        OptionalLong budget = budget(peak);
        Scale scale = new Scale(throughout(), Math.max(peak, budget.orElse(0)), rows - 1);
        int budgetRow = budget.isEmpty() ? -1 : scale.row(budget.getAsLong());
        List<String> lines = new ArrayList<>();
        lines.add(peakMark(width));
        for (int row = rows - 1; row > 0; row--) {
            String label = row == rows - 1
                    ? ByteSize.format(scale.top())
                    : row == budgetRow ? ByteSize.format(budget.orElseThrow()) : "";
            StringBuilder line = new StringBuilder(axis(label));
            for (int c = 0; c < width; c++) {
                line.append(cell(scale.eighths(level[c], row), row == budgetRow));
            }
            lines.add(line.toString().stripTrailing());
        }
        lines.add(axis(ByteSize.format(scale.bottom())) + (unicode ? "░" : ":").repeat(width));
        StringBuilder phases = new StringBuilder(" ".repeat(AXIS));
        for (int c = 0; c < width; c++) {
            phases.append(phase(first(c, width), end(c, width)).letter);
        }
        lines.add(phases.toString());
        if (account.compilation().plan().isInSections()) {
            lines.add(rounds(width));
        }
        lines.addAll(legend(budgetRow >= 0));
        return lines;
    }

    /** Braces below what runs for each micro-batch. */
    private String rounds(int width) {
        StringBuilder line = new StringBuilder(" ".repeat(AXIS));
        int c = 0;
        for (Section section : account.sections()) {
            int from = c;
            while (c < width && section.contains(first(c, width))) {
                c++;
            }
            line.append(section.times() == 1 ? " ".repeat(c - from) : brace(section.times(), c - from));
        }
        return line.toString().stripTrailing();
    }

    private String brace(int times, int width) {
        String text = unicode ? "×" + times : "x" + times;
        if (width < text.length() + 4) {
            return text.length() <= width ? text + " ".repeat(width - text.length()) : " ".repeat(width);
        }
        String edge = (unicode ? "─" : "-").repeat((width - text.length() - 4) / 2);
        int rest = width - 4 - text.length() - edge.length();
        return (unicode ? "╰" : "\\") + edge + " " + text + " " + (unicode ? "─" : "-").repeat(rest)
                + (unicode ? "╯" : "/");
    }

    /** In more than one line where one is too narrow. */
    private List<String> legend(boolean budget) {
        List<String> entries = new ArrayList<>(List.of("f forward", "b backward", "u update", "r recomputed"));
        entries.add((unicode ? "░" : ":") + " throughout");
        if (budget) {
            entries.add((unicode ? "─" : "-") + " budget");
        }
        int indent = Math.clamp(columns - String.join("  ", entries).length(), 2, AXIS);
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String entry : entries) {
            if (!line.isEmpty() && indent + line.length() + 2 + entry.length() > columns) {
                lines.add(" ".repeat(indent) + line);
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : "  ").append(entry);
        }
        lines.add(" ".repeat(indent) + line);
        return lines;
    }

    /** A budget that is not so far above the peak that the curve would lie flat. */
    private OptionalLong budget(long peak) {
        OptionalLong budget = account.compilation().search().budgetBytes();
        return budget.isPresent() && budget.getAsLong() <= 2 * peak ? budget : OptionalLong.empty();
    }

    /** Bytes of what no step makes and none is without. */
    private long throughout() {
        return account.stays().stream()
                .filter(Stay::input)
                .mapToLong(Stay::bytes)
                .sum();
    }

    private int first(int column, int width) {
        return (int) ((long) column * account.stepCount() / width);
    }

    private int end(int column, int width) {
        return Math.max(first(column, width) + 1, first(column + 1, width));
    }

    private char cell(int filled, boolean atBudget) {
        if (filled == 0) {
            return atBudget ? unicode ? '─' : '-' : ' ';
        }
        return unicode ? EIGHTHS.charAt(filled) : 2 * filled >= PARTS ? '#' : '.';
    }

    private String axis(String label) {
        return " ".repeat(Math.max(0, AXIS - 2 - label.length())) + label + (unicode ? " │" : " |");
    }

    private String peakMark(int width) {
        int column = 0;
        while (end(column, width) <= account.peakStep()) {
            column++;
        }
        String size = ByteSize.format(account.liveBytes(account.peakStep()));
        String mark = unicode ? "▼" : "v";
        boolean left = column + 3 + size.length() > width;
        return left
                ? " ".repeat(Math.max(0, AXIS + column - size.length() - 1)) + size + " " + mark
                : " ".repeat(AXIS + column) + mark + " " + size;
    }

    private Phase phase(int from, int to) {
        int[] count = new int[Phase.values().length];
        for (int k = from; k < to; k++) {
            count[Phase.of(account.compilation().plan().steps().get(k)).ordinal()]++;
        }
        Phase most = Phase.FORWARD;
        for (Phase phase : Phase.values()) {
            most = count[phase.ordinal()] > count[most.ordinal()] ? phase : most;
        }
        return most;
    }
}
