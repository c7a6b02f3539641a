package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import dev.remat.runtime.process.ProcessGroup;
import java.io.IOException;
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

    /** Says nothing but what stops it, if it is there. */
    private Optional<Console> silent = Optional.empty();

    final CommandSpec spec() {
        return spec;
    }

    final Console console() {
        return silent.orElseGet(root::console);
    }

    /** Does what all processes do together, of which the first speaks. */
    final int among(ProcessGroup group, Callable<Integer> each) throws IOException {
        group.onNote(root.console()::note);
        try {
            if (!group.isFirst()) {
                silent = Optional.of(root.console().silent());
            }
            int code = each.call();
            group.close();
            return code;
        } catch (Exception | Error stop) {
            return FailureReport.tell(group, root.console(), stop);
        }
    }

    /** Options that contradict each other, or the model: what the user is told. */
    final ParameterException misuse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
