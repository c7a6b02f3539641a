package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.option.SearchOptions;
import dev.remat.cli.ranks.RankTable.Row;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.sweep.RankSweep;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;

/** What {@code sweep --ranks} tells. */
public final class RankSweepReport {
    private final ElaboratedModel model;
    private final SearchOptions search;
    private final Optional<Link> link;
    private final RankTable table;

    public RankSweepReport(ElaboratedModel model, SearchOptions search, RankSweep sweep, Optional<Link> link) {
        this.model = model;
        this.search = search;
        this.link = link;
        this.table = new RankTable(
                "budget",
                sweep.rows().stream()
                        .map(row -> new Row(
                                row.ranks(),
                                row.budget().map(RankSweepReport::text).orElse("none"),
                                row.plan().map(plan -> PlanAccount.of(plan, link))))
                        .toList());
    }

    static String text(Budget budget) {
        return switch (budget) {
            case Budget.Bytes(long bytes) -> ByteSize.format(bytes);
            case Budget.Share(double share) -> String.format(Locale.ROOT, "%.0f %%", 100 * share);
        };
    }

    public void print(PrintStream out) {
        out.println(ModelTitle.of(model) + " on " + search.target().name() + ", by the number of ranks");
        table.print(out);
    }

    /** @param seconds that it took */
    public void writeTo(JsonGenerator out, double seconds) throws IOException {
        out.writeStringField("schema", "remat-ranks/1");
        out.writeStringField("model", model.name());
        Json.writeSymbols(out, model.extents(), model.training().microBatches());
        out.writeStringField("target", search.target().name());
        out.writeStringField("costModel", search.costModel().name());
        if (link.isPresent()) {
            out.writeNumberField("linkBytesPerSecond", link.get().bytesPerSecond());
            out.writeNumberField("linkLatencyNanos", link.get().latencyNanos());
        }
        table.writeTo(out, "plans");
        out.writeNumberField("seconds", seconds);
    }
}
