package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.choose.ChooseStaging.Outcome;
import dev.remat.compiler.choose.ChooseStaging.Tried;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** What a step in stages takes by one schedule and mode beside the other. */
public final class StageModeTable {
    private final List<Tried> tried;
    private final boolean timed;
    /** Whether ranks were tried that share more or less of the state. */
    private final boolean leveled;

    /** @param timed whether costs are nanoseconds */
    public StageModeTable(List<Tried> tried, boolean timed) {
        this.tried = List.copyOf(tried);
        this.timed = timed;
        this.leveled = tried.stream().map(Tried::level).distinct().count() > 1;
    }

    /** For people. */
    public void print(PrintStream out) {
        out.println((leveled ? "  ranks share" : "")
                + "  schedule       what is computed again         a step  bubble  largest arena");
        for (Tried each : tried) {
            out.println("  "
                    + (leveled ? String.format(Locale.ROOT, "%-11s  ", each.level()) : "")
                    + switch (each.outcome()) {
                        case Outcome.Fits(long nanos, double bubble, long largestArena) ->
                            String.format(
                                    Locale.ROOT,
                                    "%-13s  %-24s  %12s  %4.1f %%  %s",
                                    each.schedule(),
                                    each.mode(),
                                    StageReport.cost(nanos, timed),
                                    100 * bubble,
                                    ByteSize.format(largestArena));
                        case Outcome.Refused(long smallestBytes) ->
                            String.format(
                                    Locale.ROOT,
                                    "%-13s  %-24s  does not fit; a stage takes %s",
                                    each.schedule(),
                                    each.mode(),
                                    ByteSize.format(smallestBytes));
                    });
        }
    }

    /** The field {@code modes}. */
    public void writeTo(JsonGenerator out) throws IOException {
        JsonFields.objects(out, "modes", tried, each -> {
            if (leveled) {
                out.writeStringField("shard", each.level().toString());
            }
            out.writeStringField("schedule", each.schedule().toString());
            out.writeStringField("mode", each.mode());
            switch (each.outcome()) {
                case Outcome.Fits(long nanos, double bubble, long largestArena) -> {
                    out.writeNumberField("cost", nanos);
                    out.writeNumberField("bubble", bubble);
                    out.writeNumberField("largestArenaBytes", largestArena);
                }
                case Outcome.Refused(long smallestBytes) -> out.writeNumberField("smallestFoundBytes", smallestBytes);
            }
        });
    }
}
