package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.cli.report.Table.Side;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.ExchangeTimes.Wait;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.compiler.ranks.RankTraffic.Sent;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What {@code plan} tells of several ranks: what each holds and sends, and how long that takes. */
public final class RankReport {
    private static final int LONGEST = 3;
    /** That stand in a line. */
    private static final int KINDS = 3;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private final PlanAccount account;
    private final Compilation plan;
    private final RankTraffic traffic;
    private final Optional<Link> link;
    /** Where there is a link and costs are times. */
    private final Optional<ExchangeTimes> times;

    public RankReport(PlanAccount account) {
        this.account = account;
        this.plan = account.compilation();
        this.traffic = RankTraffic.of(plan.plan());
        this.link = account.link();
        this.times = ExchangeTimes.of(account);
    }

    /** Nothing of one rank. */
    public void print(PrintStream out) {
        if (traffic.ranks() == 1) {
            return;
        }
        Table table = new Table("  ", Side.LEFT, Side.LEFT);
        times.ifPresent(by -> {
            table.row(
                    "time",
                    millis(by.nanos()) + " a step, "
                            + String.format(Locale.ROOT, "%.1f rows/s", rowsPerSecond(plan, by)) + ": kernels "
                            + millis(by.alone()) + ", waiting " + millis(by.waited())
                            + (by.lost() == 0 ? "" : ", lost to what is sent beside them " + millis(by.lost()))
                            + String.format(Locale.ROOT, ": efficiency %.1f %%", 100 * by.efficiency()));
            waits(by).forEach(wait -> table.row(wait.equals(waits(by).getFirst()) ? "waits" : "", wait));
        });
        table.row(
                "each sends",
                ByteSize.format(traffic.scatterBytes() + traffic.gatherBytes()) + " a step in " + traffic.count()
                        + " exchanges, " + ByteSize.format(traffic.gatherBytes()) + " of it gathered"
                        + link.map(by -> ": " + millis(traffic.nanos(by))).orElse(""));
        List<String> held = held();
        for (int line = 0; line < held.size(); line += KINDS) {
            table.row(
                    line == 0 ? "each holds" : "",
                    (line == 0 ? ByteSize.format(plan.plan().arenaBytes()) + ": " : "")
                            + String.join(", ", held.subList(line, Math.min(held.size(), line + KINDS))));
        }
        SharedState.of(plan).described().ifPresent(shared -> table.row("", shared));
        out.println();
        out.println(traffic.ranks() + " ranks, each with " + plan.microBatches() / traffic.ranks() + " of "
                + plan.microBatches() + " micro-batches");
        table.print(out);
        out.flush();
    }

    /** What lies in the arena at its peak, by kind. */
    private List<String> held() {
        List<String> held = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (account.atPeak(kind) > 0) {
                held.add(kind.label() + " " + ByteSize.format(account.atPeak(kind)));
            }
        }
        return held;
    }

    /** The longest, with what waits. */
    private List<String> waits(ExchangeTimes by) {
        return by.waits().stream()
                .filter(wait -> wait.nanos() > 0)
                .limit(LONGEST)
                .map(wait -> millis(wait.nanos()) + " for " + wait.name() + " "
                        + awaitedBy(wait).map(step -> "in front of " + step).orElse("at the end of a round"))
                .toList();
    }

    /** What the step makes in front of which kernels wait; empty at the end of a round. */
    private Optional<String> awaitedBy(Wait wait) {
        int sectionEnd = plan.plan().section(wait.step()).to();
        return wait.awaited() < sectionEnd
                ? Optional.of(plan.plan().steps().get(wait.awaited()).name())
                : Optional.empty();
    }

    /** How fast the rows of a batch go through a step. */
    static double rowsPerSecond(Compilation plan, ExchangeTimes times) {
        long rows = plan.model().microBatches().map(MicroBatches::rows).orElseThrow();
        return rows * NANOS_PER_SECOND / times.nanos();
    }

    static String millis(double nanos) {
        double millis = nanos / NANOS_PER_MILLI;
        return String.format(Locale.ROOT, millis >= 0.1 || millis == 0 ? "%.2f ms" : "%.4f ms", millis);
    }

    /** The field {@code ranks}; nothing of one rank. */
    public void writeTo(JsonGenerator out) throws IOException {
        if (traffic.ranks() == 1) {
            return;
        }
        out.writeObjectFieldStart("ranks");
        out.writeNumberField("count", traffic.ranks());
        out.writeNumberField("microBatchesEach", plan.microBatches() / traffic.ranks());
        SharedState.of(plan).writeTo(out);
        out.writeNumberField("exchanges", traffic.count());
        out.writeNumberField("scatterBytes", traffic.scatterBytes());
        out.writeNumberField("gatherBytes", traffic.gatherBytes());
        if (link.isPresent()) {
            Link by = link.get();
            out.writeNumberField("linkBytesPerSecond", by.bytesPerSecond());
            out.writeNumberField("linkLatencyNanos", by.latencyNanos());
            out.writeNumberField("linkInterferenceNanosPerMegabyte", by.interferenceNanosPerMegabyte());
            out.writeNumberField("exchangeMillis", traffic.nanos(by) / NANOS_PER_MILLI);
        }
        if (times.isPresent()) {
            out.writeNumberField("stepMillis", times.get().nanos() / NANOS_PER_MILLI);
            out.writeNumberField("rowsPerSecond", rowsPerSecond(plan, times.get()));
            out.writeNumberField("exposedMillis", times.get().waited() / NANOS_PER_MILLI);
            out.writeNumberField("interferenceMillis", times.get().lost() / NANOS_PER_MILLI);
            out.writeNumberField("efficiency", times.get().efficiency());
            JsonFields.objects(out, "waits", times.get().waits(), wait -> {
                out.writeStringField("value", wait.name());
                out.writeNumberField("millis", wait.nanos() / NANOS_PER_MILLI);
                out.writeStringField("awaitedBy", awaitedBy(wait).orElse(null));
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
