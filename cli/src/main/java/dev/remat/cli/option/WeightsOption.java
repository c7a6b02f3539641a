package dev.remat.cli.option;

import picocli.CommandLine.Option;

/** Which of a model's parameters are used where training has kept an average of them. */
public final class WeightsOption {
    /** By their names on the command line. */
    private enum Weights {
        averaged,
        trained
    }

    @Option(
            names = "--weights",
            paramLabel = "WHICH",
            defaultValue = "averaged",
            description =
                    "The averaged parameters, where the model has averages, or the trained ones. Default: averaged.")
    private Weights weights;

    boolean averaged() {
        return weights == Weights.averaged;
    }
}
