package dev.remat.cli.ranks;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.TypedWords;
import dev.remat.cli.option.RunOptions;
import dev.remat.compiler.batch.Divisors;
import dev.remat.ir.diagnostic.Count;
import dev.remat.runtime.process.ProcessGrid;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Processes, a rank each or a stage of one, of which all are started again when one is lost: from the last checkpoint,
 * with as many ranks as are left and share the micro-batches evenly, each with all its stages.
 *
 * @param microBatches of a step, whose number no restart changes
 * @param processes how they are started, and how often again
 */
public record RestartProcesses(RunOptions run, int microBatches, ProcessOptions processes, Console console) {
    /** Returns what this process is to return. */
    public int run(ProcessGrid asked) throws IOException {
        Optional<String> before = run.saved();
        TypedWords words = run.words();
        int left = asked.ranks();
        int stages = asked.stages();
        for (int restarts = 0; ; restarts++) {
            StartProcesses.Ended ended = processes.start(new ProcessGrid(stages, left), run.words(), words, console);
            if (!ended.lost() || restarts == processes.restarts()) {
                return ended.code();
            }
            left = fewer(left - 1, microBatches);
            boolean saved = !run.saved().equals(before);
            words = onRanks(left, stages, microBatches, saved ? run.again() : run.anew());
            console.note("starts again with " + Count.of(left, "rank") + (saved ? " from the last checkpoint" : "")
                    + ", " + Count.of(processes.restarts() - restarts - 1, "restart") + " left");
        }
    }

    /** The same on so many ranks; one without stages is no process beside others. */
    static TypedWords onRanks(int ranks, int stages, int microBatches, TypedWords words) {
        TypedWords fewer =
                words.with("--ranks", String.valueOf(ranks)).with("--micro-batches", String.valueOf(microBatches));
        if (ranks > 1) {
            return fewer;
        }
        return stages > 1
                ? fewer.without(Set.of("--shard"))
                : fewer.withoutFlag("--processes")
                        .without(Set.of("--restarts", "--shard", "--interface", "--transport"));
    }

    /** The largest number of ranks that shares micro-batches evenly. */
    static int fewer(int most, int microBatches) {
        List<Long> divisors = Divisors.of(microBatches);
        return divisors.stream()
                .mapToInt(Math::toIntExact)
                .filter(ranks -> ranks <= Math.max(1, most))
                .max()
                .orElseThrow();
    }
}
