package dev.remat.cli.device;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** What goes without saying of an artifact in place of a model: it is planned and compiled. */
public final class BuiltAlready {
    private static final Set<String> DECIDED = Set.of(
            "--allow-tf32",
            "--allow-unverified",
            "--budget",
            "--costs",
            "--dump-dir",
            "--effort",
            "--precision",
            "--set",
            "--strategy",
            "--time-limit");

    private BuiltAlready() {}

    /** Whether a command was given an artifact. */
    public static boolean isArtifact(Path model) {
        return Files.isDirectory(model);
    }

    /**
     * Refuses options of what has been decided.
     *
     * @param more further options that need a model
     * @throws ParameterException if there is one
     */
    public static void check(CommandSpec command, Path artifact, Set<String> more) {
        Set<String> refused = new TreeSet<>(DECIDED);
        refused.addAll(more);
        for (OptionSpec given : command.commandLine().getParseResult().matchedOptions()) {
            if (refused.contains(given.longestName())) {
                throw new ParameterException(
                        command.commandLine(),
                        given.longestName() + " needs a model file: " + artifact
                                + " is a folder, and what 'remat build' has written is planned and compiled");
            }
        }
    }
}
