package dev.remat.cli.ranks;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.compiler.fit.FitMachines;
import dev.remat.compiler.fit.FitMachines.Row;
import dev.remat.compiler.sweep.MachineSweep.Way;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * What {@code fit} tells of machines that share a step.
 *
 * @param symbol of the batch
 * @param memory bytes of each machine
 * @param rows one of which fits
 * @param timed whether costs are nanoseconds
 */
public record MachineFitReport(String symbol, long memory, List<Row> rows, boolean timed) {
    private static final double NANOS_PER_SECOND = 1e9;

    public MachineFitReport {
        rows = List.copyOf(rows);
    }

    /** For people. */
    public void print(PrintStream out) {
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT);
        table.row(
                "stages",
                "ranks",
                "micro-batches",
                "schedule",
                symbol,
                "a step",
                "bubble",
                "largest arena",
                timed ? "rows/s" : "units a row",
                "");
        for (Row row : rows) {
            Way way = row.way();
            String[] told = MachineReport.told(way, row.outcome(), timed);
            table.row(
                    String.valueOf(way.stages()),
                    String.valueOf(way.ranks()),
                    String.valueOf(way.microBatches()),
                    way.stages() == 1 ? "-" : way.schedule().toString(),
                    row.extent() == 0 ? "" : String.valueOf(row.extent()),
                    told[0],
                    told[1],
                    told[2],
                    row.costOfRow().map(this::speed).orElse(""),
                    told[3]);
        }
        table.print(out);
        Row fastest = FitMachines.fastest(rows);
        Way way = fastest.way();
        out.println("  " + way.machines() + (way.machines() == 1 ? " machine of " : " machines of ")
                + ByteSize.format(memory) + ": " + MachineReport.shared(way) + ", " + symbol + "=" + fastest.extent()
                + " in " + MachineReport.cut(way));
        out.flush();
    }

    private String speed(double costOfRow) {
        return String.format(Locale.ROOT, "%.1f", timed ? NANOS_PER_SECOND / costOfRow : costOfRow);
    }

    /** The fields {@code symbol}, {@code memoryBytes}, {@code extent} and {@code ways}. */
    public void writeTo(JsonGenerator out) throws IOException {
        Row fastest = FitMachines.fastest(rows);
        out.writeStringField("symbol", symbol);
        out.writeNumberField("memoryBytes", memory);
        out.writeNumberField("extent", fastest.extent());
        JsonFields.objects(out, "ways", rows, row -> {
            MachineReport.write(out, row.way());
            out.writeBooleanField("fastest", row.equals(fastest));
            out.writeNumberField("extent", row.extent());
            MachineReport.write(out, row.outcome());
            if (timed && row.costOfRow().isPresent()) {
                out.writeNumberField(
                        "rowsPerSecond", NANOS_PER_SECOND / row.costOfRow().get());
            }
        });
    }
}
