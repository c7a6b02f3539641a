package dev.remat.cli.command;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code remat completion}. */
@Command(
        name = "completion",
        description = "Print a completion script for bash and zsh.",
        footer = {"", "Example:", "  source <(remat completion)"})
final class CompletionCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @CommandLine.ParentCommand
    private RematCommand root;

    @Override
    public void run() {
        root.console().data().print(AutoComplete.bash("remat", spec.parent().commandLine()));
        root.console().data().flush();
    }
}
