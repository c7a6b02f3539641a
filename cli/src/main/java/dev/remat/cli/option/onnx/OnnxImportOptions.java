package dev.remat.cli.option.onnx;

import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.Loss;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What a file of ONNX becomes. */
public final class OnnxImportOptions {
    @Option(
            names = "--inputs",
            paramLabel = "NAME",
            split = ",",
            description = "Of ONNX: values that become inputs, whatever makes them in the file.")
    private List<String> inputs = new ArrayList<>();

    @Option(
            names = "--outputs",
            paramLabel = "NAME",
            split = ",",
            description = "Of ONNX: values that become outputs; what they do not depend on is left out.")
    private List<String> outputs = new ArrayList<>();

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            split = ",(?![^\\[]*\\])",
            description =
                    "Of ONNX: fix an input to a number or a list of them, sr=16000 or sizes=[1,3,64,64], or an open"
                            + " extent by its name.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--loss",
            paramLabel = "KIND",
            converter = LossConverter.class,
            description = "Of ONNX: add targets, a loss and a train block: cross_entropy, mse or bce. A last softmax or"
                    + " sigmoid is left off the way to the loss.")
    private Loss loss;

    @Option(
            names = "--plain",
            description = "Of ONNX: one statement for every node; no layers, patterns or loops are recognised.")
    private boolean plain;

    @Option(
            names = "--weights",
            paramLabel = "FILE",
            description = "Of ONNX: where the weights go; NAME.safetensors beside the model unless given.")
    private Path weights;

    @Option(
            names = "--names",
            paramLabel = "FILE",
            description = "Of ONNX: write what parameters are called in the file, as 'export --names' reads it.")
    private Path names;

    @Option(
            names = "--follow-links",
            description = "Of ONNX: read weights from files outside of the model's folder that links in it lead to.")
    private boolean followLinks;

    @Option(
            names = "--dump-dir",
            paramLabel = "DIR",
            description = "Of ONNX: write what every pass made, and the text of single nodes that the result is held"
                    + " against.")
    private Path dumpDir;

    /** For picocli. */
    static final class LossConverter implements ITypeConverter<Loss> {
        @Override
        public Loss convert(String text) {
            return Arrays.stream(Loss.values())
                    .filter(loss -> loss.label().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is no loss here; there are "
                            + Arrays.stream(Loss.values()).map(Loss::label).collect(Collectors.joining(", "))));
        }
    }

    /** The first of these options that is given, if one is. */
    public Optional<String> given() {
        SequencedMap<String, Boolean> given = new LinkedHashMap<>();
        given.put("--inputs", !inputs.isEmpty());
        given.put("--outputs", !outputs.isEmpty());
        given.put("--set", !settings.isEmpty());
        given.put("--loss", loss != null);
        given.put("--plain", plain);
        given.put("--weights", weights != null);
        given.put("--names", names != null);
        given.put("--follow-links", followLinks);
        given.put("--dump-dir", dumpDir != null);
        return given.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /**
     * @param name of the model
     * @param origin name of the file
     * @throws IllegalArgumentException with a message for the user, if {@code --set} is malformed
     */
    public ImportRequest request(String name, String origin) {
        return new ImportRequest(name, origin, inputs, outputs, set(), plain, Optional.ofNullable(loss));
    }

    private SequencedMap<String, List<Double>> set() {
        SequencedMap<String, List<Double>> set = new LinkedHashMap<>();
        for (String setting : settings) {
            int equals = setting.lastIndexOf('=');
            String list =
                    equals < 0 ? "" : setting.substring(equals + 1).strip().replaceAll("^\\[|\\]$", "");
            List<Double> numbers = new ArrayList<>();
            for (String number : list.split(",")) {
                numbers.add(number(setting, number.strip()));
            }
            if (set.put(setting.substring(0, equals).strip(), numbers) != null) {
                throw new IllegalArgumentException("--set " + setting + " is there twice");
            }
        }
        return set;
    }

    private static double number(String setting, String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true") ? 1 : 0;
        }
        if (!text.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")) {
            throw new IllegalArgumentException(
                    "--set " + setting + " is no NAME=NUMBER or NAME=[NUMBER,NUMBER], such as sr=16000");
        }
        return Double.parseDouble(text);
    }

    public boolean followsLinks() {
        return followLinks;
    }

    public Optional<Path> weights() {
        return Optional.ofNullable(weights);
    }

    public Optional<Path> dumpDir() {
        return Optional.ofNullable(dumpDir);
    }

    public Optional<Path> names() {
        return Optional.ofNullable(names);
    }
}
