package dev.remat.cli.option;

import dev.remat.ir.target.TargetModel;
import picocli.CommandLine.Option;

/** What to plan for. */
public final class TargetOption {
    @Option(
            names = "--target",
            paramLabel = "NAME",
            converter = Target.Converter.class,
            description = "What to plan for: cpu, or a GPU such as sm_90a. Default: cpu.")
    private TargetModel target = Target.cpu();

    public TargetModel target() {
        return target;
    }
}
