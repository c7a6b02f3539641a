package dev.remat.cli.view;

import static dev.remat.cli.console.Format.text;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.ranks.LinkOption;
import dev.remat.cli.report.Table;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.target.Link;
import dev.remat.runtime.profile.FitLink.Point;
import dev.remat.runtime.profile.MeasureExchanges.Pair;
import dev.remat.runtime.profile.MeasureExchanges.Size;
import dev.remat.runtime.profile.MeasureExchanges.Times;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;

/**
 * How long exchanges take, and which link that is.
 *
 * @param here how many of the ranks are on this machine
 */
public record LinkText(Times times, int here) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double PERCENT = 100;

    public void print(PrintStream out) {
        Link link = times.link();
        int ranks = times.ranks();
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, RIGHT)
                .line("")
                .line("Exchanges of " + Count.of(ranks, "rank") + ", " + here + " of them on this machine, in ms")
                .row("to each other", "alone", "beside kernels", "by the link");
        for (Size size : times.sizes()) {
            table.row(
                    ByteSize.format(size.bytes()),
                    millis(size.nanos()),
                    millis(size.besideNanos()),
                    millis(link.nanos(ranks, (ranks - 1) * size.bytes())));
        }
        table.print(out);
        List<Point> points = times.points();
        Point worst = points.stream()
                .max(Comparator.comparingDouble(point -> point.deviation(ranks, link)))
                .orElseThrow();
        double sum = 0;
        for (Point point : points) {
            sum += point.deviation(ranks, link);
        }
        out.println(text(
                "  --link %s tells them within %.0f %% on average, %.0f %% at %s",
                LinkOption.text(link),
                PERCENT * sum / points.size(),
                PERCENT * worst.deviation(ranks, link),
                ByteSize.format(worst.bytes() / (ranks - 1))));
        out.println(text(
                "  kernels lose %.0f us to a MB that is sent beside them", times.lostPerMegabyte() / NANOS_PER_MICRO));
        Comparator<Pair> bySpeed = Comparator.comparingLong(pair -> pair.link().bytesPerSecond());
        Pair slowest = times.pairs().stream().min(bySpeed).orElseThrow();
        out.println("  one way at a time: " + described(slowest)
                + (times.pairs().size() == 1
                        ? ""
                        : ", the slowest of " + times.pairs().size() + " pairs; the fastest "
                                + described(times.pairs().stream().max(bySpeed).orElseThrow())));
    }

    private static String described(Pair pair) {
        return LinkOption.text(pair.link()) + " between ranks " + pair.first() + " and " + pair.second();
    }

    private static String millis(double nanos) {
        return text("%.3f", nanos / NANOS_PER_MILLI);
    }
}
