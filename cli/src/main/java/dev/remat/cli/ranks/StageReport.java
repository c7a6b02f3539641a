package dev.remat.cli.ranks;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.SetTimes.StageTimes;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.compiler.pipeline.StageProgram;
import dev.remat.compiler.pipeline.StagePrograms;
import dev.remat.compiler.ranks.Link;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What stages take, and what they wait for. */
public final class StageReport {
    private static final int WAITS = 2;

    private final StageSet set;
    private final SetTimes times;
    private final List<StageProgram> programs;

    /** @param link between stages */
    public StageReport(StageSet set, Link link) {
        this.set = set;
        this.times = set.times(link);
        this.programs = StagePrograms.of(set.plans().stages(), (_, _) -> 0);
    }

    /** For people. */
    public void print(PrintStream out) {
        boolean timed = set.stages().getFirst().costs().isTime();
        out.println(set.staging() + ", " + set.stages().getFirst().microBatches() + " micro-batches");
        out.println("  "
                + String.format(
                        Locale.ROOT,
                        "time    %s a step, of which stages compute nothing for %.1f %% (bubble)",
                        cost(times.makespan(), timed),
                        100 * times.bubble()));
        for (int stage = 0; stage < set.stages().size(); stage++) {
            StageTimes own = times.stages().get(stage);
            long sent = programs.get(stage).messages().stream()
                    .filter(Send.class::isInstance)
                    .mapToLong(message -> message.bytes())
                    .sum();
            out.println("  "
                    + String.format(
                            Locale.ROOT,
                            "stage %-2d %s, kernels %s, waits %s, sends %s",
                            stage,
                            ByteSize.format(set.plans().stages().get(stage).arenaBytes()),
                            cost(own.busyNanos(), timed),
                            cost(own.waitedNanos(), timed),
                            ByteSize.format(sent)));
            String waits = own.waits().stream()
                    .limit(WAITS)
                    .map(wait -> cost(wait.nanos(), timed) + " for " + wait.message())
                    .collect(Collectors.joining(", "));
            if (!waits.isEmpty()) {
                out.println("           waits longest: " + waits);
            }
        }
    }

    private static String cost(long cost, boolean timed) {
        return timed ? String.format(Locale.ROOT, "%.2f ms", cost / 1e6) : String.valueOf(cost);
    }
}
