package dev.remat.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options of every command. */
@Command
final class StandardOptions {
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    private boolean help;

    private StandardOptions() {}

    /** Adds them to a command and everything below it. */
    static void addTo(CommandLine line) {
        line.addMixin("standard", new StandardOptions());
        line.getCommandSpec().usageMessage().sortOptions(false);
        for (CommandLine below : line.getSubcommands().values()) {
            addTo(below);
        }
    }
}
