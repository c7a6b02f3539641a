package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.report.ArtifactText;
import dev.remat.cli.report.InspectJson;
import dev.remat.codegen.cuda.predict.StepCosts;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.Manifest;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.KernelProfile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code remat inspect}. */
@Command(
        name = "inspect",
        description =
                "Verify an artifact's files against their hashes, and show its kernels and how long they should take.",
        footer = {
            "",
            "Examples:",
            "  remat inspect gpt",
            "  remat inspect gpt --json",
            "  remat inspect gpt --costs-out costs.json",
            "",
            "docs/costs.md tells how times are predicted."
        })
final class InspectCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "A folder that 'remat build' wrote.")
    private Path folder;

    @Option(names = "--costs-out", paramLabel = "FILE", description = "Write the predicted times for --costs FILE.")
    private Path costs;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(costs);
        Artifact artifact = ArtifactReader.read(folder);
        if (costs != null) {
            ResultFile.check(costs, files(artifact));
            AtomicFile.write(costs, CostFileJson.write(new CostFile.Profile(predicted(artifact))));
        }
        output.print(console(), new InspectJson(artifact)::writeTo, out -> print(artifact, out));
        return ExitCode.OK.number();
    }

    private Path[] files(Artifact artifact) {
        Stream<String> names = artifact.manifest().files().stream().map(ArtifactFile::name);
        return Stream.concat(Stream.of(ArtifactFile.MANIFEST), names)
                .map(folder::resolve)
                .toArray(Path[]::new);
    }

    /** Of the first of its architectures that there is a model of. */
    private KernelProfile predicted(Artifact artifact) {
        return artifact.devices().stream()
                .flatMap(device -> StepCosts.profile(artifact, device).stream())
                .findFirst()
                .orElseThrow(() ->
                        misuse("--costs-out: times are predicted for sm_90a alone, and " + folder + " was built for "
                                + String.join(", ", artifact.manifest().architectures())
                                + "; build it with --arch sm_90a"));
    }

    private static void print(Artifact artifact, PrintStream out) {
        Manifest manifest = artifact.manifest();
        ArtifactText text = new ArtifactText(manifest, artifact.plan(), out);
        text.summary();
        for (DeviceCode device : artifact.devices()) {
            text.kernels(device.architecture(), StepCosts.of(artifact, device));
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
