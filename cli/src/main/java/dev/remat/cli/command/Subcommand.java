package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** A command below {@code remat} that returns an exit code. */
abstract class Subcommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandSpec spec;

    @CommandLine.ParentCommand
    private RematCommand root;

    private Optional<Console> silent = Optional.empty();

    final CommandSpec spec() {
        return spec;
    }

    final Console console() {
        return silent.orElseGet(root::console);
    }

    /** From now on says nothing but what stops it. */
    final void silence() {
        silent = Optional.of(root.console().silent());
    }

    /** Options that contradict each other, or the model: what the user is told. */
    final ParameterException misuse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
