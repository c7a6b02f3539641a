package dev.remat.tests.onnx;

import dev.remat.cli.onnx.EvaluateText;
import dev.remat.cli.onnx.OnnxSource;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.onnx.read.DamagedOnnxException;
import dev.remat.compiler.onnx.read.OnnxFile;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.read.ValueInfo;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A folder of ONNX's own tests: a model of one node with inputs and the outputs that it must give. What has to be known
 * when a model is imported is given as a constant, where the import fails without.
 */
final class NodeTest {
    private static final double TOLERANCE = 1e-3;

    /** Which inputs become constants, tried in turn. */
    private enum Constants {
        NONE,
        SMALL,
        ALL_BUT_FIRST,
        ALL
    }

    private final Path folder;
    private final List<OnnxTensor> inputs;
    private final List<OnnxTensor> outputs;

    private NodeTest(Path folder, List<OnnxTensor> inputs, List<OnnxTensor> outputs) {
        this.folder = folder;
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** Empty if it fares as it should, else what is wrong. */
    static Optional<String> failure(Path folder) throws IOException {
        try {
            Path data = folder.resolve("test_data_set_0");
            return new NodeTest(folder, tensors(data, "input"), tensors(data, "output")).run();
        } catch (DamagedOnnxException e) {
            return Optional.of("its data is no tensor");
        }
    }

    private static List<OnnxTensor> tensors(Path data, String kind) throws IOException {
        List<OnnxTensor> tensors = new ArrayList<>();
        for (int i = 0; Files.exists(data.resolve(kind + "_" + i + ".pb")); i++) {
            byte[] bytes = Files.readAllBytes(data.resolve(kind + "_" + i + ".pb"));
            tensors.add(OnnxTensor.read(MemorySegment.ofArray(bytes)));
        }
        return tensors;
    }

    private Optional<String> run() throws IOException {
        String failure = "";
        for (Constants constants : Constants.values()) {
            try {
                Optional<String> wrong = run(constants);
                if (wrong.isEmpty()) {
                    return wrong;
                }
                failure = wrong.get();
            } catch (ModelException e) {
                failure = e.diagnostics().getFirst().message();
            }
        }
        return Optional.of(failure);
    }

    private Optional<String> run(Constants constants) throws IOException {
        Path model = folder.resolve("model.onnx");
        try (OnnxSource source = OnnxSource.open(model, false);
                OnnxFile file = OnnxFile.open(model, false)) {
            List<String> names =
                    file.model().graph().inputs().stream().map(ValueInfo::name).toList();
            SequencedMap<String, List<Double>> set = new LinkedHashMap<>();
            for (int i = 0; i < inputs.size(); i++) {
                if (isConstant(constants, i)) {
                    Optional<List<Double>> numbers = numbers(inputs.get(i));
                    if (numbers.isEmpty()) {
                        return Optional.of("its data is of " + inputs.get(i).type());
                    }
                    set.put(names.get(i), numbers.get());
                }
            }
            ImportedGraph imported =
                    source.run(new ImportRequest("M", "model.onnx", List.of(), List.of(), set, true, Optional.empty()));
            SequencedMap<String, StoredTensor> fed = new LinkedHashMap<>();
            ModelSettings settings = ModelSettings.NONE;
            for (var input : imported.inputNames().entrySet()) {
                OnnxTensor given = inputs.get(names.indexOf(input.getValue()));
                if (given.type().dtype().isEmpty()) {
                    return Optional.of("its data is of " + given.type());
                }
                fed.put(input.getKey(), stored(input.getKey(), given));
                settings = bound(settings, imported.inputs().get(input.getKey()), given);
            }
            SequencedMap<String, StoredTensor> results = EvaluateText.run(
                            imported.text(), settings, source.weights(imported), fed)
                    .outputs();
            List<String> ofFile =
                    file.model().graph().outputs().stream().map(ValueInfo::name).toList();
            for (var output : imported.outputNames().entrySet()) {
                OnnxTensor wanted = outputs.get(ofFile.indexOf(output.getValue()));
                Optional<String> wrong = difference(results.get(output.getKey()), wanted);
                if (wrong.isPresent()) {
                    return wrong;
                }
            }
            return Optional.empty();
        }
    }

    private boolean isConstant(Constants constants, int index) {
        OnnxTensor input = inputs.get(index);
        boolean isInteger =
                input.type().dtype().filter(dtype -> !dtype.isFloat()).isPresent();
        return switch (constants) {
            case NONE -> false;
            case SMALL -> index > 0 && (isInteger || input.elements() <= 1);
            case ALL_BUT_FIRST -> index > 0;
            case ALL -> true;
        };
    }

    private static ModelSettings bound(ModelSettings settings, TensorType type, OnnxTensor given) {
        ModelSettings all = settings;
        for (int axis = 0; axis < type.rank(); axis++) {
            if (Symbols.isSymbol(type.dim(axis))) {
                all = all.with(
                        type.dim(axis).toString(), given.shape().get(axis).toString());
            }
        }
        return all;
    }

    private static Optional<List<Double>> numbers(OnnxTensor tensor) {
        if (tensor.type().dtype().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(numbers(stored("x", tensor)));
    }

    private static StoredTensor stored(String name, OnnxTensor tensor) {
        MemorySegment data = tensor.inside().orElseThrow();
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(data.byteSize(), 1), Long.BYTES);
        return new StoredTensor(
                name,
                StoredType.of(tensor.type().dtype().orElseThrow()),
                tensor.shape(),
                copy.asSlice(0, data.byteSize()).copyFrom(data));
    }

    private static Optional<String> difference(StoredTensor actual, OnnxTensor wanted) {
        if (wanted.type().dtype().isEmpty()) {
            return Optional.of("its result is of " + wanted.type());
        }
        StoredTensor expected = stored(actual.name(), wanted);
        if (!actual.shape().equals(expected.shape()) || actual.type() != expected.type()) {
            return Optional.of(
                    "it gives " + actual.type() + actual.shape() + ", not " + expected.type() + expected.shape());
        }
        List<Double> a = numbers(actual);
        List<Double> b = numbers(expected);
        for (int i = 0; i < a.size(); i++) {
            double apart = Math.abs(a.get(i) - b.get(i));
            if (!a.get(i).equals(b.get(i)) && !(apart <= TOLERANCE * (1 + Math.abs(b.get(i)))) && apart != 0) {
                return Optional.of("it gives other numbers");
            }
        }
        return Optional.empty();
    }

    private static List<Double> numbers(StoredTensor tensor) {
        StoredTensor wide = ElementConversion.convert(tensor, tensor.name(), DType.F64, Arena.ofAuto());
        List<Double> numbers = new ArrayList<>();
        for (long i = 0; i < wide.elements(); i++) {
            numbers.add(wide.data().getAtIndex(ValueLayout.JAVA_DOUBLE, i));
        }
        return numbers;
    }
}
