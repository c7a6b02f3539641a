package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.cli.report.Table.Side;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.ranks.ExchangeTimes;
import dev.remat.compiler.ranks.Link;
import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.compiler.ranks.RankTraffic.Sent;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What {@code plan} tells of several ranks: what each holds and sends, and how long that takes. */
public final class RankReport {
    private static final int LONGEST = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private final PlanAccount account;
    private final Compilation plan;
    private final RankTraffic traffic;
    private final Optional<Link> link;
    /** Where there is a link and costs are times. */
    private final Optional<ExchangeTimes> times;

    public RankReport(PlanAccount account, Optional<Link> link) {
        this.account = account;
        this.plan = account.compilation();
        this.traffic = RankTraffic.of(plan.plan());
        this.link = link;
        this.times = link.filter(_ -> plan.costs().isTime())
                .map(by -> ExchangeTimes.of(
                        plan.plan(), account.times(plan.costs()).costs(), by));
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
        link.ifPresent(by -> table.row("exchanges", millis(traffic.nanos(by)) + " a step" + waiting()));
        times.filter(by -> by.waited() > 0).ifPresent(by -> table.row("waits", longest(by)));
        out.println();
        out.println(traffic.ranks() + " ranks, each with " + plan.microBatches() / traffic.ranks() + " of "
                + plan.microBatches() + " micro-batches");
        table.print(out);
        out.flush();
    }

    private String waiting() {
        return times.map(by -> ", for " + millis(by.waited()) + " of which kernels wait; kernels " + millis(plan.cost())
                        + String.format(Locale.ROOT, ": efficiency %.1f %%", 100 * efficiency(by)))
                .orElse("");
    }

    private static String longest(ExchangeTimes by) {
        return by.waits().stream()
                .filter(wait -> wait.nanos() > 0)
                .limit(LONGEST)
                .map(wait -> wait.name() + " " + millis(wait.nanos()))
                .collect(Collectors.joining(", "));
    }

    /** What of a step's time is left for kernels. */
    private double efficiency(ExchangeTimes by) {
        return plan.cost() / (plan.cost() + by.waited());
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
            out.writeNumberField("exchangeMillis", traffic.nanos(by) / NANOS_PER_MILLI);
        }
        if (times.isPresent()) {
            out.writeNumberField("exposedMillis", times.get().waited() / NANOS_PER_MILLI);
            out.writeNumberField("efficiency", efficiency(times.get()));
            JsonFields.objects(out, "waits", times.get().waits(), wait -> {
                out.writeStringField("value", wait.name());
                out.writeNumberField("millis", wait.nanos() / NANOS_PER_MILLI);
            });
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
