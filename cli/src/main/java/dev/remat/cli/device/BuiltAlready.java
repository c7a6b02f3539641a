package dev.remat.cli.device;

import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.artifact.CorruptArtifactException;
import java.io.IOException;
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
            "--batch-norm",
            "--budget",
            "--costs",
            "--disk",
            "--disk-budget",
            "--disk-rates",
            "--dump-dir",
            "--effort",
            "--host-budget",
            "--host-rates",
            "--micro-batches",
            "--micro-batch-order",
            "--offload",
            "--precision",
            "--ranks",
            "--set",
            "--shard",
            "--strategy",
            "--time-limit");

    /** Among what a manifest says was asked for: a step that gives gradients in place of updates. */
    public static final String GRADIENTS = "gradients";

    private BuiltAlready() {}

    /** Whether a command was given an artifact. */
    public static boolean isArtifact(Path model) {
        return Files.isDirectory(model);
    }

    /**
     * Reads an artifact that trains, or with {@code gradients} one that gives them.
     *
     * @throws CorruptArtifactException if it is the other, or damaged
     */
    public static Artifact read(Path folder, boolean gradients) throws IOException {
        Artifact artifact = ArtifactReader.read(folder);
        boolean gives = artifact.manifest().build().options().contains(GRADIENTS);
        if (gives && !gradients) {
            throw new CorruptArtifactException(
                    folder, "gives gradients and updates nothing; build it without --gradients to train");
        }
        if (!gives && gradients) {
            throw new CorruptArtifactException(
                    folder, "trains, and keeps no gradients; build another one with --gradients");
        }
        return artifact;
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
