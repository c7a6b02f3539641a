package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.SetTimes.StageTimes;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What stages take, and what they wait for. */
public final class StageReport {
    private static final int WAITS = 2;

    private final TimedStages stages;
    private final StageSet set;
    private final SetTimes times;
    private final boolean timed;

    public StageReport(TimedStages stages) {
        this.stages = stages;
        this.set = stages.set();
        this.times = stages.times();
        this.timed = stages.isTime();
    }

    /** For people. */
    public void print(PrintStream out) {
        out.println(set.staging() + ", " + set.stages().getFirst().microBatches() + " micro-batches"
                + (stages.ranks() == 1 ? "" : ", " + stages.ranks() + " ranks that share " + set.sharding()));
        out.println("  "
                + String.format(
                        Locale.ROOT,
                        "time    %s a step, of which stages compute nothing for %.1f %% (bubble)",
                        cost(times.makespan(), timed),
                        100 * times.bubble()));
        for (int stage = 0; stage < set.stages().size(); stage++) {
            StageTimes own = times.stages().get(stage);
            out.println("  "
                    + String.format(
                            Locale.ROOT,
                            "stage %-2d %s, kernels %s%s, waits %s, sends %s%s",
                            stage,
                            ByteSize.format(set.plans().stages().get(stage).arenaBytes()),
                            cost(own.busyNanos(), timed),
                            own.lostNanos() == 0
                                    ? ""
                                    : ", lost to what is moved beside them " + cost(own.lostNanos(), timed),
                            cost(own.waitedNanos(), timed),
                            ByteSize.format(sent(stage)),
                            stages.ranks() == 1
                                    ? ""
                                    : ", exchanges " + ByteSize.format(stages.exchangedBytes(stage)) + " with ranks"));
            if (stages.ranks() > 1) {
                out.println("           waits for ranks: " + cost(own.rankNanos(), timed));
            }
            String waits = own.waits().stream()
                    .limit(WAITS)
                    .map(wait ->
                            cost(wait.nanos(), timed) + " for " + wait.what().name())
                    .collect(Collectors.joining(", "));
            if (!waits.isEmpty()) {
                out.println("           waits longest: " + waits);
            }
        }
    }

    private long sent(int stage) {
        return stages.program(stage).messages().stream()
                .filter(Send.class::isInstance)
                .mapToLong(message -> message.bytes())
                .sum();
    }

    /** The fields of {@code plan --stages --json}. */
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-stages/1");
        out.writeStringField("schedule", set.staging().schedule().toString());
        out.writeNumberField("microBatches", set.stages().getFirst().microBatches());
        if (stages.ranks() > 1) {
            out.writeNumberField("ranks", stages.ranks());
            out.writeStringField("shard", set.sharding().toString());
        }
        out.writeStringField("costUnit", timed ? "ns" : "operations");
        out.writeNumberField("cost", times.makespan());
        out.writeNumberField("bubble", times.bubble());
        List<Integer> numbers = IntStream.range(0, set.stages().size()).boxed().toList();
        JsonFields.objects(out, "stages", numbers, stage -> {
            StageTimes own = times.stages().get(stage);
            out.writeNumberField("arenaBytes", set.plans().stages().get(stage).arenaBytes());
            out.writeNumberField(
                    "kernels", set.plans().stages().get(stage).steps().size());
            out.writeNumberField("busy", own.busyNanos());
            out.writeNumberField("interference", own.lostNanos());
            out.writeNumberField("waited", own.waitedNanos());
            out.writeNumberField("sentBytes", sent(stage));
            if (stages.ranks() > 1) {
                out.writeNumberField("exchangedBytes", stages.exchangedBytes(stage));
                out.writeNumberField("waitedForRanks", own.rankNanos());
            }
            JsonFields.objects(out, "waits", own.waits(), wait -> {
                out.writeNumberField("step", wait.step());
                out.writeStringField("message", wait.what().name());
                out.writeNumberField("waited", wait.nanos());
            });
        });
    }

    static String cost(long cost, boolean timed) {
        return timed ? String.format(Locale.ROOT, "%.2f ms", cost / 1e6) : String.valueOf(cost);
    }
}
