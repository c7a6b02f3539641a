package dev.remat.cli.command;

import java.util.Collection;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Refuses options whose list of values is nothing but commas, which would mean that they were not given. */
final class EmptyLists {
    private EmptyLists() {}

    /** Runs the command, for picocli, unless it has such an option. */
    static int execute(ParseResult all) {
        for (CommandLine line : all.asCommandLineList()) {
            for (OptionSpec option : line.getParseResult().matchedOptions()) {
                if (!option.splitRegex().isEmpty()
                        && option.getValue() instanceof Collection<?> values
                        && values.isEmpty()) {
                    throw new ParameterException(line, option.longestName() + " names nothing");
                }
            }
        }
        return new CommandLine.RunLast().execute(all);
    }
}
