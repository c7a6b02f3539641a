package dev.remat.cli;

import dev.remat.ir.target.TargetModel;
import picocli.CommandLine.Option;

/** What to plan for. */
final class TargetOption {
    @Option(
            names = "--target",
            paramLabel = "NAME",
            converter = Target.Converter.class,
            description = "What to plan for: cpu, or a GPU such as sm_90a. Default: cpu.")
    private TargetModel target = Target.cpu();

    TargetModel target() {
        return target;
    }
}
