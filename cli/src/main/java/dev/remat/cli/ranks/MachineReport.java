package dev.remat.cli.ranks;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.sweep.MachineSweep;
import dev.remat.compiler.sweep.MachineSweep.Outcome;
import dev.remat.compiler.sweep.MachineSweep.Row;
import dev.remat.compiler.sweep.MachineSweep.Way;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * What {@code sweep} tells of machines that share a step.
 *
 * @param budget of each machine, if there is one
 * @param timed whether costs are nanoseconds
 */
public record MachineReport(Optional<Budget> budget, MachineSweep sweep, boolean timed) {
    /** For people. */
    public void print(PrintStream out) {
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, LEFT, RIGHT, RIGHT, RIGHT, LEFT);
        table.row("stages", "ranks", "micro-batches", "schedule", "a step", "bubble", "largest arena", "");
        for (Row row : sweep.rows()) {
            Way way = row.way();
            String[] told = told(row.way(), row.outcome(), timed);
            table.row(
                    String.valueOf(way.stages()),
                    String.valueOf(way.ranks()),
                    String.valueOf(way.microBatches()),
                    way.stages() == 1 ? "-" : way.schedule().toString(),
                    told[0],
                    told[1],
                    told[2],
                    told[3]);
        }
        table.print(out);
        out.println(sweep.fastest()
                .map(row -> "  fastest" + within() + ": " + shared(row.way()) + ", " + cut(row.way()))
                .orElse("  no way fits" + within()));
    }

    private String within() {
        return budget.map(each -> " within " + RankSweepReport.text(each) + " a machine")
                .orElse("");
    }

    /** What stands of a way in a table: how long a step takes, its bubble, its largest arena, and anything else. */
    static String[] told(Way way, Outcome outcome, boolean timed) {
        return switch (outcome) {
            case Outcome.Planned(double cost, double bubble, long arena, var sharding) ->
                new String[] {
                    StageReport.cost(Math.round(cost), timed),
                    percent(bubble),
                    ByteSize.format(arena),
                    way.ranks() == 1 ? "" : "ranks share " + sharding
                };
            case Outcome.Refused(long smallest) ->
                new String[] {"", "", "", "does not fit; a machine takes " + ByteSize.format(smallest)};
            case Outcome.TooFewBlocks(int blocks) ->
                new String[] {"", "", "", "the model has " + blocks + " parts at most"};
            case Outcome.Slower(long least) ->
                new String[] {"", "", "", "slower: " + StageReport.cost(least, timed) + " at least"};
            case Outcome.Untried() -> new String[] {"", "", "", "not tried: time was up"};
        };
    }

    /** Who takes part. */
    static String shared(Way way) {
        return count(way.stages(), "stage") + " × " + count(way.ranks(), "rank");
    }

    /** What they take. */
    static String cut(Way way) {
        return way.microBatches() + " micro-batches" + (way.stages() == 1 ? "" : " by " + way.schedule());
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** An object of {@code budgets}. */
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("budget", budget.map(RankSweepReport::text).orElse("none"));
        JsonFields.objects(out, "ways", sweep.rows(), row -> {
            write(out, row.way());
            out.writeBooleanField("fastest", sweep.fastest().filter(row::equals).isPresent());
            write(out, row.outcome());
        });
    }

    static void write(JsonGenerator out, Way way) throws IOException {
        out.writeNumberField("stages", way.stages());
        out.writeNumberField("ranks", way.ranks());
        out.writeNumberField("microBatches", way.microBatches());
        if (way.stages() > 1) {
            out.writeStringField("schedule", way.schedule().toString());
        }
    }

    static void write(JsonGenerator out, Outcome outcome) throws IOException {
        switch (outcome) {
            case Outcome.Planned(double cost, double bubble, long arena, var sharding) -> {
                out.writeNumberField("cost", Math.round(cost));
                out.writeNumberField("bubble", bubble);
                out.writeNumberField("largestArenaBytes", arena);
                out.writeStringField("shard", sharding.toString());
            }
            case Outcome.Refused(long smallest) -> out.writeNumberField("smallestFoundBytes", smallest);
            case Outcome.TooFewBlocks(int blocks) -> out.writeNumberField("parts", blocks);
            case Outcome.Slower(long least) -> out.writeNumberField("leastCost", least);
            case Outcome.Untried() -> out.writeBooleanField("untried", true);
        }
    }
}
