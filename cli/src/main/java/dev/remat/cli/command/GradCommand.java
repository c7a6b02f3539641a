package dev.remat.cli.command;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.Device;
import dev.remat.cli.device.DeviceOption;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.report.ScalarJson;
import dev.remat.compiler.forward.ForwardValues;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.artifact.Artifact;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.train.GradientEvaluation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat grad}. */
@Command(
        name = "grad",
        description =
                "Evaluate the loss and the gradients of all parameters once, of a model or on a GPU of an artifact"
                        + " that 'remat build --gradients' has written.",
        footer = {
            "",
            "Examples:",
            "  remat grad samples/mlp.model --set B=4 --inputs batch.safetensors -o gradients.safetensors",
            "  remat grad mlp-gradients --inputs batch.safetensors --device cuda"
        })
final class GradCommand extends ModelCommand {
    @Option(
            names = "--inputs",
            required = true,
            paramLabel = "FILE",
            description = "Safetensors with every input and, where they should not start as usual, parameters by name.")
    private Path inputs;

    @Option(
            names = "--step-seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The training step whose random draws are taken, from 1. Default: 1.")
    private long step;

    @Option(
            names = "--values",
            paramLabel = "NAME",
            split = ",",
            description = "Forward values of a batch that is not cut to write too, by the names that 'plan --dump-dir'"
                    + " shows.")
    private List<String> values = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Safetensors to write: loss, and grad.PARAMETER for every parameter.")
    private Path result;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private DeviceOption device;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(result, model().file(), inputs, planning.costFile());
        device.check();
        try (SafetensorsFile given = SafetensorsFile.open(inputs);
                Executable executable = BuiltAlready.isArtifact(model().file()) ? built() : planned()) {
            GradientEvaluation evaluation = new GradientEvaluation(executable);
            evaluation.load(given.tensors());
            double loss = evaluation.run(step);
            if (result != null) {
                SafetensorsWriter.write(
                        result, Map.of("model", executable.plan().model()), evaluation.outputs());
            }
            if (output.json()) {
                Json.printLine(console(), out -> ScalarJson.write(out, "loss", loss));
            } else {
                console().out().println("loss " + loss);
            }
        }
        return ExitCode.OK.number();
    }

    private Executable planned() throws IOException {
        device.check(planning.below());
        Device on = device.open(console());
        AskedStep asked = planning.step(model().session(), batches, Purpose.GRADIENTS, on.target(), console());
        if (!values.isEmpty() && asked.model().microBatches().isPresent()) {
            throw misuse("--values writes what a whole batch has, and this one is cut: add --micro-batches 1");
        }
        AskedStep step = asked.with(ForwardValues.asOutputs(asked.model(), values, "--values"));
        DiagnosticText.print(step.session().source().warnings(), console());
        return on.load(
                planning.compile(step, on.target(), console()).plan(),
                false,
                planning.below().places());
    }

    private Executable built() throws IOException {
        BuiltAlready.check(spec(), model().file(), Set.of("--values"));
        Artifact artifact = BuiltAlready.read(model().file(), true);
        return device.open(artifact, console()).load(planning.seeded(artifact.plan()), false);
    }
}
