package dev.remat.cli;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import picocli.CommandLine.Option;

/** How long to search for one plan. */
final class EffortOption {
    @Option(
            names = "--effort",
            paramLabel = "quick|full",
            converter = EffortConverter.class,
            description = "How much work the search for a plan may take: quick for some seconds at a thousand nodes,"
                    + " full for about half a minute. Default: full.")
    private Effort effort = Effort.FULL;

    Effort effort() {
        return effort;
    }
}
