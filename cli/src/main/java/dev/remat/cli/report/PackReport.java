package dev.remat.cli.report;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.layout.FoundLayout;
import dev.remat.compiler.layout.PackProblem;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/** What {@code remat pack} found, for people and as JSON. */
public record PackReport(Path file, PackProblem problem, FoundLayout layout, OptionalLong capacity, double seconds) {
    public void print(PrintStream out) {
        Table table = new Table("  ", LEFT, RIGHT, LEFT)
                .line(file + ": " + Count.of(problem.rows().size(), "buffer"));
        capacity.ifPresent(most -> table.row("capacity", String.valueOf(most)));
        table.row("height", String.valueOf(layout.height()), layout.isOptimal() ? "no layout is lower" : gap());
        table.row(
                "lower bound",
                String.valueOf(layout.lowerBound()),
                layout.lowerBound() == layout.liveSum()
                        ? "largest sum of what is live together"
                        : "proven; the largest sum of what is live together is " + layout.liveSum());
        table.row("utilisation", percent(problem.utilisation(layout.height())), "of height and time is in use");
        table.row(
                "found in",
                String.format(Locale.ROOT, "%.2f s", seconds),
                "by " + layout.foundBy().label());
        table.print(out);
        out.flush();
    }

    private String gap() {
        return String.format(
                Locale.ROOT,
                "%.3f %% over the lower bound",
                100.0 * (layout.height() - layout.lowerBound()) / layout.lowerBound());
    }

    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-pack/1");
        out.writeStringField("file", file.toString());
        out.writeNumberField("buffers", problem.rows().size());
        JsonFields.optional(out, "capacity", capacity);
        out.writeNumberField("height", layout.height());
        out.writeNumberField("liveSum", layout.liveSum());
        out.writeNumberField("lowerBound", layout.lowerBound());
        out.writeBooleanField("proven", layout.isOptimal());
        out.writeNumberField("utilisation", problem.utilisation(layout.height()));
        out.writeStringField("foundBy", layout.foundBy().label());
        out.writeNumberField("seconds", seconds);
    }
}
