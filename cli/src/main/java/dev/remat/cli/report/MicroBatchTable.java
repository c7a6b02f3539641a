package dev.remat.cli.report;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.choose.MicroBatchAlternative;
import dev.remat.compiler.choose.MicroBatchAlternative.Outcome;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.target.CostModel;
import java.io.IOException;
import java.io.PrintStream;

/** The numbers of micro-batches that {@code --micro-batches auto} has looked at, and which of them was taken. */
public record MicroBatchTable(MicroBatchChoice choice, CostModel costs) {

    public void print(PrintStream out) {
        if (choice.alternatives().isEmpty()) {
            return;
        }
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT);
        table.row("m", "rows", "arena", "one step", "recomputed", "");
        choice.alternatives().forEach(each -> row(table, each));
        out.println();
        out.println("Micro-batches within " + ByteSize.format(choice.budgetBytes()) + ", by quick searches");
        table.print(out);
        out.flush();
    }

    private void row(Table table, MicroBatchAlternative each) {
        String count = String.valueOf(each.count());
        String rows = String.valueOf(each.rows());
        switch (each.outcome()) {
            case Outcome.Planned plan ->
                table.row(
                        count,
                        rows,
                        ByteSize.format(plan.arenaBytes()),
                        PlanText.time(costs, plan.cost()),
                        percent(plan.overhead()),
                        taken(each) ? "taken" : "");
            case Outcome.Slower(long cost) ->
                table.row(count, rows, "", PlanText.time(costs, cost), "", "at least, even without recomputation");
            case Outcome.Impossible(var floor) ->
                table.row(
                        count,
                        rows,
                        ByteSize.format(floor.bytes()),
                        "",
                        "",
                        "least that any plan needs" + nearest(each));
            case Outcome.NotFound(long smallest) ->
                table.row(count, rows, ByteSize.format(smallest), "", "", "smallest plan found" + nearest(each));
            case Outcome.Refused(var why) ->
                table.row(count, rows, "", "", "", why.code() + " at " + why.location() + ": cannot be cut");
        }
    }

    private boolean taken(MicroBatchAlternative each) {
        return each.count() == choice.count();
    }

    /** What nothing fitted in is searched in full. */
    private String nearest(MicroBatchAlternative each) {
        return taken(each) ? "; taken, and searched further" : "";
    }

    /** The field {@code microBatchAlternatives}. */
    public void writeTo(JsonGenerator out) throws IOException {
        JsonFields.objects(out, "microBatchAlternatives", choice.alternatives(), each -> {
            out.writeNumberField("microBatches", each.count());
            out.writeNumberField("rows", each.rows());
            out.writeBooleanField("taken", taken(each));
            write(out, each.outcome());
        });
    }

    private void write(JsonGenerator out, Outcome outcome) throws IOException {
        switch (outcome) {
            case Outcome.Planned(long arenaBytes, long cost, double overhead) -> {
                out.writeStringField("verdict", "planned");
                out.writeNumberField("arenaBytes", arenaBytes);
                JsonFields.optional(out, "estimatedMillis", costs.millis(cost));
                out.writeNumberField("overhead", overhead);
            }
            case Outcome.Slower(long cost) -> {
                out.writeStringField("verdict", "slower");
                JsonFields.optional(out, "estimatedMillis", costs.millis(cost));
            }
            case Outcome.Impossible(var floor) -> {
                out.writeStringField("verdict", "impossible");
                out.writeNumberField("floorBytes", floor.bytes());
                out.writeStringField("floorSetBy", floor.setBy());
            }
            case Outcome.NotFound(long smallest) -> {
                out.writeStringField("verdict", "not-found");
                out.writeNumberField("smallestFoundBytes", smallest);
            }
            case Outcome.Refused(var why) -> {
                out.writeStringField("verdict", "refused");
                out.writeStringField("code", why.code());
                out.writeStringField("at", why.location().toString());
                out.writeStringField("message", why.message());
            }
        }
    }
}
