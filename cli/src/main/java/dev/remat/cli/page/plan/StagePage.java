package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.cli.ranks.StageModeTable;
import dev.remat.cli.ranks.StageReport;
import dev.remat.cli.ranks.TimedStages;
import dev.remat.cli.ranks.TimedStages.Passed;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A step in stages to look at: what each stage does by the clock, what it waits for, and what is in its arena.
 *
 * @param report of the same stages
 * @param modes that they were held against
 */
public record StagePage(TimedStages stages, StageReport report, StageModeTable modes) {
    public HtmlPage page() {
        return new HtmlPage(title(), "stages.js", List.of(PageLibrary.D3), this::write);
    }

    private String title() {
        return ModelTitle.of(stages.set().stages().getFirst().model()) + ", in "
                + stages.set().staging();
    }

    private void write(JsonGenerator out) throws IOException {
        out.writeStringField("title", title());
        out.writeStringField("target", stages.set().plans().stages().getFirst().target());
        out.writeBooleanField("time", stages.isTime());
        out.writeNumberField(
                "alignment", stages.set().stages().getFirst().target().alignment());
        out.writeObjectFieldStart("sums");
        report.writeTo(out);
        modes.writeTo(out);
        out.writeEndObject();
        List<Passed> passed = stages.passed();
        Columns.write(out, "messages", passed, columns -> {
            columns.texts("name", Passed::name);
            columns.numbers("from", Passed::from);
            columns.numbers("to", Passed::to);
            columns.numbers("bytes", Passed::bytes);
            columns.differences("sent", Passed::sent);
            columns.differences("sentStep", Passed::sentStep);
            columns.differences("taken", Passed::taken);
            columns.differences("arrived", Passed::arrived);
            columns.differences("awaited", Passed::awaited);
        });
        // Most of the time goes into what is worked out of each stage.
        List<StageColumns> each = IntStream.range(0, stages.count())
                .parallel()
                .mapToObj(stage -> new StageColumns(stages, stage))
                .toList();
        out.writeArrayFieldStart("stages");
        for (StageColumns stage : each) {
            stage.write(out);
        }
        out.writeEndArray();
    }
}
