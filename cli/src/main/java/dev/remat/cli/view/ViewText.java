package dev.remat.cli.view;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ModelTitle;
import dev.remat.compiler.Compilation;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.target.CostModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Words that all views share; lines have at most {@link #COLUMNS} characters. */
public final class ViewText {
    static final int COLUMNS = 80;
    private static final double NANOS_PER_MILLI = 1e6;

    private ViewText() {}

    /** What was planned, in one line. */
    public static String title(Compilation plan) {
        return ModelTitle.of(plan.model()) + ", planned for " + plan.plan().target() + " by "
                + plan.sequence().strategy();
    }

    /** Nanoseconds as milliseconds; abstract costs as they are. */
    static String time(CostModel costs, long cost) {
        if (!costs.isTime()) {
            return Count.of(cost, "unit");
        }
        double millis = cost / NANOS_PER_MILLI;
        String format = millis >= 1000 ? "%.2f s" : millis >= 0.1 ? "%.2f ms" : "%.4f ms";
        return String.format(Locale.ROOT, format, millis >= 1000 ? millis / 1000 : millis);
    }

    /** {@code 0.13 ms more}, {@code 0.13 ms less}, {@code no time}. */
    static String timeChange(CostModel costs, long cost) {
        return cost == 0
                ? costs.isTime() ? "no time" : "no cost"
                : time(costs, Math.abs(cost)) + (cost > 0 ? " more" : " less");
    }

    static String peakChange(long bytes) {
        return bytes == 0
                ? "the same peak"
                : "a peak " + ByteSize.format(Math.abs(bytes)) + (bytes > 0 ? " higher" : " lower");
    }

    static String place(Location location) {
        return location.equals(Location.NONE) ? "" : location.toString();
    }

    /** Without the folders in front of the file. */
    static String shortPlace(Location location) {
        return place(location).replaceFirst("^.*/", "");
    }

    /** The text, or its beginning and its end where it is longer than {@code width}. */
    static String fit(String text, int width) {
        if (text.length() <= width) {
            return text;
        }
        int end = (width - 1) / 2;
        return text.substring(0, width - 1 - end) + "…" + text.substring(text.length() - end);
    }

    /** The text, or its beginning where it is longer than {@code width}. */
    static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "…";
    }

    /** Words in lines of at most {@code width} characters; a longer word has a line of its own. */
    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
