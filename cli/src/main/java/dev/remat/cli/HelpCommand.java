package dev.remat.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code remat help}. */
@Command(
        name = "help",
        description = "Show help on a command, or explain an error code.",
        subcommands = HelpErrorCommand.class,
        footer = {"", "Examples:", "  remat help train", "  remat help error E0102"})
final class HelpCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "A command's name.")
    private String command;

    @Override
    public void run() {
        CommandLine root = spec.parent().commandLine();
        CommandLine target = command == null ? root : root.getSubcommands().get(command);
        if (target == null) {
            throw new ParameterException(spec.commandLine(), "there is no command '" + command + "'");
        }
        target.usage(spec.commandLine().getOut(), root.getColorScheme());
    }
}
