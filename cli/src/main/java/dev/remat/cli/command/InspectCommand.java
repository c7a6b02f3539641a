package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.report.ArtifactText;
import dev.remat.cli.report.InspectJson;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelShares;
import dev.remat.ir.artifact.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code remat inspect}. */
@Command(
        name = "inspect",
        description = "Verify an artifact's files against their hashes, and show its kernels.",
        footer = {"", "Examples:", "  remat inspect gpt", "  remat inspect gpt --json"})
final class InspectCommand implements Callable<Integer> {
    @CommandLine.ParentCommand
    private RematCommand root;

    @Parameters(paramLabel = "DIR", description = "A folder that 'remat build' wrote.")
    private Path folder;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        Artifact artifact = ArtifactReader.read(folder);
        if (output.json()) {
            Json.print(root.console(), new InspectJson(artifact)::writeTo);
        } else {
            print(artifact);
        }
        return ExitCode.OK.number();
    }

    private void print(Artifact artifact) {
        Manifest manifest = artifact.manifest();
        ArtifactText text = new ArtifactText(manifest, root.console().out());
        text.summary();
        for (DeviceCode device : artifact.devices()) {
            text.kernels(device.architecture(), KernelShares.of(artifact, device));
        }
        text.files();
        text.line("model %s", manifest.modelHash());
        text.line("plan  %s", manifest.planHash());
        text.line(
                "built by remat %s with NVRTC %s%s",
                manifest.build().remat(),
                manifest.build().nvrtc(),
                manifest.build().options().isEmpty()
                        ? ""
                        : " and --" + String.join(" --", manifest.build().options()));
        text.line("every file is what was built");
    }
}
