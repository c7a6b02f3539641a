package dev.remat.cli.view;

import static dev.remat.cli.console.Format.text;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.report.Table;
import dev.remat.runtime.Moved;
import dev.remat.runtime.Moved.LaneUse;
import dev.remat.runtime.profile.MeasurePlace.Rates;
import java.io.PrintStream;
import java.util.SequencedMap;

/**
 * How fast lanes are: each alone, both of a place at once, and beside the kernels of steps.
 *
 * @param alone what was measured of each place, by its name
 * @param moved by steps that have run
 * @param steps how many
 */
public record LanesText(SequencedMap<String, Rates> alone, Moved moved, int steps) {
    private static final double GIGA = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    public void print(PrintStream out) {
        Table table = new Table("  ", LEFT, RIGHT, RIGHT, RIGHT)
                .line("")
                .line("Lanes, in GB/s")
                .row("", "alone", "both at once", "beside kernels");
        alone.forEach((place, rates) -> table.row(
                        "store to " + place, rate(rates.store()), rate(rates.storeBeside()), inSteps(place, true))
                .row("fetch from " + place, rate(rates.fetch()), rate(rates.fetchBeside()), inSteps(place, false)));
        table.print(out);
        alone.forEach((place, rates) -> out.println(text(
                "  a small block of %s takes %.1f us; kernels lose %.0f us to a MB that is moved beside them",
                place,
                rates.latencyNanos() / NANOS_PER_MICRO,
                rates.interferenceNanosPerMegabyte() / NANOS_PER_MICRO)));
        out.println(
                moved.isNone()
                        ? "  this plan moves nothing, so that nothing was measured beside kernels"
                        : text(
                                "  kernels wait %.3f ms in a step",
                                moved.exposedNanos().orElse(0) / 1e6 / steps));
    }

    private String inSteps(String place, boolean stores) {
        for (LaneUse lane : moved.lanes()) {
            if (lane.place().equals(place) && lane.stores() == stores && lane.busyNanos() > 0) {
                return rate(lane.bytes() * GIGA / lane.busyNanos());
            }
        }
        return "-";
    }

    private static String rate(double bytesPerSecond) {
        return text("%.2f", bytesPerSecond / GIGA);
    }
}
