package dev.remat.cli.command;

import dev.remat.compiler.error.Suggestion;
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

    @CommandLine.ParentCommand
    private RematCommand root;

    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "A command's name.")
    private String command;

    RematCommand root() {
        return root;
    }

    @Override
    public void run() {
        CommandLine all = spec.parent().commandLine();
        CommandLine target = command == null ? all : all.getSubcommands().get(command);
        if (target == null) {
            String nearest = Suggestion.note(command, all.getSubcommands().keySet())
                    .map(note -> "; " + note)
                    .orElse("");
            throw new ParameterException(spec.commandLine(), "there is no command '" + command + "'" + nearest);
        }
        target.usage(spec.commandLine().getOut(), all.getColorScheme());
    }
}
