package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.cli.report.Table.Side;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.ranks.Link;
import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.compiler.ranks.RankTraffic.Sent;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What {@code plan} tells of several ranks: what each holds and sends, and how long that takes. */
public final class RankReport {
    private static final int LONGEST = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private final PlanAccount account;
    private final Compilation plan;
    private final RankTraffic traffic;
    private final Optional<Link> link;

    public RankReport(PlanAccount account, Optional<Link> link) {
        this.account = account;
        this.plan = account.compilation();
        this.traffic = RankTraffic.of(plan.plan());
        this.link = link;
    }

    /** Nothing of one rank. */
    public void print(PrintStream out) {
        if (traffic.ranks() == 1) {
            return;
        }
        Table table = new Table("  ", Side.LEFT, Side.LEFT);
        long parameters = account.atPeak(Kind.PARAMETER);
        long optimizer = account.atPeak(Kind.OPTIMIZER);
        long gradients = account.atPeak(Kind.GRADIENT);
        long arena = plan.plan().arenaBytes();
        table.row("each holds", ByteSize.format(arena) + ": parameters " + ByteSize.format(parameters));
        table.row(
                "",
                "optimizer " + ByteSize.format(optimizer) + ", gradients " + ByteSize.format(gradients) + ", the rest "
                        + ByteSize.format(arena - parameters - optimizer - gradients));
        table.row(
                "each sends",
                ByteSize.format(traffic.scatterBytes() + traffic.gatherBytes()) + " a step in " + traffic.count()
                        + " exchanges, " + ByteSize.format(traffic.gatherBytes()) + " of it gathered");
        link.ifPresent(by -> {
            table.row("exchanges", millis(traffic.nanos(by)) + " a step, while kernels wait" + efficiency(by));
            table.row(
                    "longest",
                    traffic.longest(by, LONGEST).stream()
                            .map(sent -> sent.name() + " " + millis(traffic.nanos(by, sent)))
                            .collect(Collectors.joining(", ")));
        });
        out.println();
        out.println(traffic.ranks() + " ranks, each with " + plan.microBatches() / traffic.ranks() + " of "
                + plan.microBatches() + " micro-batches");
        table.print(out);
        out.flush();
    }

    private String efficiency(Link by) {
        OptionalDouble share = share(by);
        return share.isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; kernels %s: efficiency %.1f %%",
                        millis(plan.cost()),
                        100 * share.getAsDouble());
    }

    /** What of a step's time is left for kernels; empty where costs are no times. */
    private OptionalDouble share(Link by) {
        double kernels = plan.cost();
        return plan.costs().isTime() && kernels > 0
                ? OptionalDouble.of(kernels / (kernels + traffic.nanos(by)))
                : OptionalDouble.empty();
    }

    private static String millis(double nanos) {
        double millis = nanos / NANOS_PER_MILLI;
        return String.format(Locale.ROOT, millis >= 0.1 ? "%.2f ms" : "%.4f ms", millis);
    }

    /** The field {@code ranks}; nothing of one rank. */
    public void writeTo(JsonGenerator out) throws IOException {
        if (traffic.ranks() == 1) {
            return;
        }
        out.writeObjectFieldStart("ranks");
        out.writeNumberField("count", traffic.ranks());
        out.writeNumberField("microBatchesEach", plan.microBatches() / traffic.ranks());
        out.writeNumberField("exchanges", traffic.count());
        out.writeNumberField("scatterBytes", traffic.scatterBytes());
        out.writeNumberField("gatherBytes", traffic.gatherBytes());
        if (link.isPresent()) {
            Link by = link.get();
            out.writeNumberField("linkBytesPerSecond", by.bytesPerSecond());
            out.writeNumberField("linkLatencyNanos", by.latencyNanos());
            out.writeNumberField("exposedMillis", traffic.nanos(by) / NANOS_PER_MILLI);
            JsonFields.optional(out, "efficiency", share(by));
        }
        JsonFields.objects(out, "sent", traffic.exchanges(), sent -> write(out, sent));
        out.writeEndObject();
    }

    private void write(JsonGenerator out, Sent sent) throws IOException {
        out.writeStringField("value", sent.name());
        out.writeNumberField("step", sent.step());
        out.writeStringField("exchange", sent.scatters() ? "scatter" : "gather");
        out.writeNumberField("bytes", sent.bytes());
        out.writeNumberField("times", sent.times());
        if (link.isPresent()) {
            out.writeNumberField("millis", traffic.nanos(link.get(), sent) / NANOS_PER_MILLI);
        }
    }
}
