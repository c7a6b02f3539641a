package dev.remat.cli.option;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What becomes of a model's adapters where it is exported. */
public final class AdapterOptions {
    @ArgGroup
    private Kind kind = new Kind();

    private static final class Kind {
        @Option(
                names = "--adapters",
                description = "Write the adapters alone, and what is trained beside them, as PEFT takes them: to the"
                        + " folder that -o names.")
        private boolean alone;

        @Option(names = "--merge", description = "Fold the adapters into the weights that they stand beside.")
        private boolean merged;
    }

    /** Whether they are all that is written. */
    public boolean alone() {
        return kind.alone;
    }

    /** Whether they become part of the weights. */
    public boolean merged() {
        return kind.merged;
    }

    public boolean isGiven() {
        return kind.alone || kind.merged;
    }
}
