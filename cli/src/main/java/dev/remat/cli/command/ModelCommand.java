package dev.remat.cli.command;

import dev.remat.cli.option.ModelOptions;
import picocli.CommandLine.Mixin;

/** A command that is about one model. */
abstract class ModelCommand extends Subcommand {
    @Mixin
    private ModelOptions model;

    final ModelOptions model() {
        return model;
    }
}
