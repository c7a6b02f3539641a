package dev.remat.cli.plans;

import dev.remat.cli.console.Console;
import dev.remat.compiler.known.PlanStore;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Whether plans are kept and taken again. */
public final class CacheOption {
    @Option(
            names = "--no-cache",
            description = "Search for the plan even if the same was planned before, and do not keep it.")
    private boolean without;

    /** @param limit of the time that searches have */
    public PlanStore store(Console console, Optional<Duration> limit) {
        return without ? PlanStore.NONE : PlanFolder.of(console, limit);
    }
}
