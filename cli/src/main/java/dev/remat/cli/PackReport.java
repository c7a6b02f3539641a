package dev.remat.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.memory.FoundLayout;
import dev.remat.compiler.pack.PackProblem;
import dev.remat.ir.diagnostic.Count;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/** What {@code remat pack} found, for people and as JSON. */
record PackReport(Path file, PackProblem problem, FoundLayout layout, OptionalLong capacity, double seconds) {
    void print(PrintStream out) {
        out.println(file + ": " + Count.of(problem.rows().size(), "buffer"));
        capacity.ifPresent(most -> out.println(line("capacity", most, "")));
        out.println(line("height", layout.height(), layout.isOptimal() ? "no layout is lower" : gap()));
        out.println(line(
                "lower bound",
                layout.lowerBound(),
                layout.lowerBound() == layout.liveSum()
                        ? "largest sum of what is live together"
                        : "proven; the largest sum of what is live together is " + layout.liveSum()));
        out.println(String.format(
                Locale.ROOT,
                "  %-12s%18.1f %%   of height and time is in use",
                "utilisation",
                100 * problem.utilisation(layout.height())));
        out.println(String.format(
                Locale.ROOT,
                "  %-12s%18.2f s   by %s",
                "found in",
                seconds,
                layout.foundBy().label()));
        out.flush();
    }

    private static String line(String name, long value, String remark) {
        return String.format(Locale.ROOT, "  %-12s%20d   %s", name, value, remark)
                .stripTrailing();
    }

    private String gap() {
        return String.format(
                Locale.ROOT,
                "%.3f %% over the lower bound",
                100.0 * (layout.height() - layout.lowerBound()) / layout.lowerBound());
    }

    void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-pack/1");
        out.writeStringField("file", file.toString());
        out.writeNumberField("buffers", problem.rows().size());
        if (capacity.isPresent()) {
            out.writeNumberField("capacity", capacity.getAsLong());
        } else {
            out.writeNullField("capacity");
        }
        out.writeNumberField("height", layout.height());
        out.writeNumberField("liveSum", layout.liveSum());
        out.writeNumberField("lowerBound", layout.lowerBound());
        out.writeBooleanField("proven", layout.isOptimal());
        out.writeNumberField("utilisation", problem.utilisation(layout.height()));
        out.writeStringField("foundBy", layout.foundBy().label());
        out.writeNumberField("seconds", seconds);
    }
}
