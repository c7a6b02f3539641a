package dev.remat.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/** How a training step is planned. */
final class PlanOptions {
    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            description = "How to choose what is recomputed: keep-all, sqrt. Default: keep-all.")
    private String strategy;

    @Option(
            names = "--budget",
            paramLabel = "SIZE",
            converter = Budget.Converter.class,
            description = "Bytes the arena may take, such as 6GiB or 800MB, or a percentage of what keeping all takes.")
    private Budget budget;

    @Option(names = "--target", paramLabel = "NAME", defaultValue = "cpu", description = "What the plan is for: cpu.")
    private String target;

    Optional<String> strategy() {
        return Optional.ofNullable(strategy);
    }

    Optional<Budget> budget() {
        return Optional.ofNullable(budget);
    }

    String target() {
        return target;
    }
}
