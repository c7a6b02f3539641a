package dev.remat.cli.console;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that several commands take, and that may contradict each other or the model. */
public abstract class CheckedOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** The command that takes them. */
    protected final CommandSpec command() {
        return command;
    }

    /** What the user is told of a contradiction. */
    protected final ParameterException misuse(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** @throws ParameterException unless it holds */
    protected final void require(boolean holds, String otherwise) {
        if (!holds) {
            throw misuse(otherwise);
        }
    }
}
