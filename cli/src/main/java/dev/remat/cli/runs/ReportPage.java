package dev.remat.cli.runs;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.ir.json.JsonFields;
import dev.remat.runtime.log.StepsTable;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs as a page: what {@code report --json} tells of them, and of every column its points. Of long runs those are kept
 * that can be seen: in every short stretch the first, the last, the least, the greatest, and one that is no number.
 */
final class ReportPage {
    private static final int MOST_POINTS = 4000;
    private static final int POINTS_OF_STRETCH = 5;

    private ReportPage() {}

    static HtmlPage of(List<LoggedRun> runs) {
        String title = runs.stream().map(LoggedRun::name).collect(Collectors.joining(", "));
        return new HtmlPage(title, "report.js", List.of(PageLibrary.D3), out -> {
            new ReportJson(runs).writeTo(out);
            JsonFields.array(out, "series", runs, run -> {
                out.writeStartArray();
                for (StepsTable.Column column : run.table().columns()) {
                    write(out, run.table(), column);
                }
                out.writeEndArray();
            });
        });
    }

    private static void write(JsonGenerator out, StepsTable table, StepsTable.Column column) throws IOException {
        List<Integer> points =
                IntStream.of(points(column.values(), MOST_POINTS)).boxed().toList();
        out.writeStartObject();
        out.writeStringField("name", column.name());
        JsonFields.array(
                out,
                "steps",
                points,
                point -> out.writeNumber(table.steps().get(column.rows().get(point))));
        JsonFields.array(out, "values", points, point -> {
            double value = column.values().get(point);
            if (!Double.isFinite(value)) {
                out.writeNull();
            } else if ((float) value == value) {
                out.writeNumber((float) value);
            } else {
                out.writeNumber(value);
            }
        });
        out.writeEndObject();
    }

    /** Indices of those that a chart shows, ascending. */
    static int[] points(List<Double> values, int most) {
        if (values.size() <= most) {
            return IntStream.range(0, values.size()).toArray();
        }
        int stretches = Math.max(1, most / POINTS_OF_STRETCH);
        TreeSet<Integer> points = new TreeSet<>();
        for (int i = 0; i < stretches; i++) {
            int from = (int) ((long) values.size() * i / stretches);
            int to = (int) ((long) values.size() * (i + 1) / stretches);
            int least = from;
            int greatest = from;
            points.add(from);
            points.add(to - 1);
            for (int k = to - 1; k >= from; k--) {
                double value = values.get(k);
                if (!Double.isFinite(value)) {
                    points.add(k);
                    break;
                }
            }
            for (int k = from; k < to; k++) {
                double value = values.get(k);
                least = value < values.get(least) ? k : least;
                greatest = value > values.get(greatest) ? k : greatest;
            }
            points.add(least);
            points.add(greatest);
        }
        return points.stream().mapToInt(Integer::intValue).toArray();
    }
}
