package dev.remat.cli.option;

import dev.remat.compiler.onnx.OnnxOpset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** As what a trained model is exported, and how if that is ONNX. */
public final class OnnxOptions {
    /** By their names on the command line. */
    private enum Format {
        safetensors,
        onnx
    }

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "safetensors",
            description = "safetensors, parameters alone; or onnx, the forward pass with them. Default: safetensors.")
    private Format format;

    @Option(
            names = "--opset",
            paramLabel = "N",
            description = "Version of ONNX's operators, from 17 to 24. Default: 18.")
    private Integer opset;

    @Option(
            names = "--external",
            paramLabel = "FILE",
            description = "Leave the parameters in a safetensors file beside the ONNX file, which serves PyTorch and"
                    + " --init as well.")
    private Path external;

    @Option(
            names = "--outputs",
            paramLabel = "NAME,…",
            split = ",",
            description = "What the ONNX model gives. Default: the model's outputs; without any, what its"
                    + " cross-entropy scores, or its loss.")
    private List<String> outputs = new ArrayList<>();

    @Option(
            names = "--inputs",
            paramLabel = "NAME,…",
            split = ",",
            description = "Values that the ONNX model is given instead of computing them.")
    private List<String> inputs = new ArrayList<>();

    /** Whether the result is ONNX. */
    public boolean isAsked() {
        return format == Format.onnx;
    }

    /** @throws ParameterException if an option says something of another format, or there is no such opset */
    public void check(CommandLine command) {
        String given = opset != null
                ? "--opset"
                : external != null
                        ? "--external"
                        : outputs.isEmpty() ? inputs.isEmpty() ? "" : "--inputs" : "--outputs";
        if (!isAsked() && !given.isEmpty()) {
            throw new ParameterException(command, given + " is for --format onnx");
        }
        if (opset != null && (opset < OnnxOpset.FIRST || opset > OnnxOpset.LAST)) {
            throw new ParameterException(
                    command, "--opset is from " + OnnxOpset.FIRST + " to " + OnnxOpset.LAST + ", not " + opset);
        }
    }

    public OnnxOpset opset() {
        return opset == null ? OnnxOpset.USUAL : new OnnxOpset(opset);
    }

    /** The file of parameters that lies apart. */
    public Optional<Path> external() {
        return Optional.ofNullable(external);
    }

    public List<String> outputs() {
        return outputs;
    }

    public List<String> inputs() {
        return inputs;
    }
}
