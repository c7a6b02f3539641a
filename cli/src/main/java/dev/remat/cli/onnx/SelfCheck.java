package dev.remat.cli.onnx;

import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Holds a text in which layers, patterns and loops were recognised against the one that has a statement for every node:
 * both are evaluated on the same inputs, at two sizes.
 */
public final class SelfCheck {
    private static final double TOLERANCE = 1e-4;
    /** Extents that symbols get, the first that the model takes; images are larger than texts. */
    private static final List<Long> SIZES = List.of(2L, 3L, 7L, 32L, 64L, 224L);

    private static final int WANTED = 2;

    private SelfCheck() {}

    /**
     * How it went.
     *
     * @param sizes at which both agree
     * @param difference the largest, as a part of the largest number
     */
    public record Outcome(int sizes, double difference) {}

    /**
     * Empty if nothing can be compared: the model draws at random, or takes none of the sizes that are tried, or too
     * much for each.
     *
     * @throws IllegalStateException if the two differ, or the readable one alone is refused
     */
    public static Optional<Outcome> run(
            ImportedGraph readable, List<StoredTensor> weights, ImportedGraph plain, List<StoredTensor> plainWeights) {
        if (plain.text().matches("(?s).*\\b(dropout|bernoulli|rand|randn|rand_like|randn_like)\\(.*")) {
            return Optional.empty();
        }
        int agreed = 0;
        double difference = 0;
        for (long size : SIZES) {
            ModelSettings settings = settings(readable, size);
            Optional<EvaluateText.Result> expected = single(plain, settings, plainWeights);
            if (expected.isEmpty()) {
                continue;
            }
            EvaluateText.Result actual =
                    recognised(readable, settings, weights, expected.get().inputs());
            for (var output : expected.get().outputs().entrySet()) {
                difference = Math.max(
                        difference,
                        difference(output.getValue(), actual.outputs().get(output.getKey())));
            }
            if (!(difference <= TOLERANCE)) {
                throw new IllegalStateException("the imported text differs from that of single nodes by " + difference
                        + "; --plain writes the latter");
            }
            agreed++;
            if (agreed == WANTED || isFixed(readable)) {
                break;
            }
        }
        return agreed == 0 ? Optional.empty() : Optional.of(new Outcome(agreed, difference));
    }

    /** Empty where the model does not take that size, or takes too much for it. */
    private static Optional<EvaluateText.Result> single(
            ImportedGraph plain, ModelSettings settings, List<StoredTensor> weights) {
        try {
            return EvaluateText.ifSmall(plain.text(), settings, weights);
        } catch (ModelException e) {
            return Optional.empty();
        }
    }

    private static EvaluateText.Result recognised(
            ImportedGraph readable,
            ModelSettings settings,
            List<StoredTensor> weights,
            SequencedMap<String, StoredTensor> inputs) {
        try {
            return EvaluateText.run(readable.text(), settings, weights, inputs);
        } catch (ModelException e) {
            throw new IllegalStateException(
                    "the imported text is refused where that of single nodes is not: " + e.getMessage()
                            + "; --plain writes the latter",
                    e);
        }
    }

    private static boolean isFixed(ImportedGraph graph) {
        return graph.inputs().values().stream()
                .allMatch(type -> type.shape().dims().stream().noneMatch(Symbols::isSymbol));
    }

    private static ModelSettings settings(ImportedGraph graph, long size) {
        SequencedMap<String, Long> extents = new LinkedHashMap<>();
        for (TensorType type : graph.inputs().values()) {
            type.shape().dims().stream()
                    .filter(Symbols::isSymbol)
                    .forEach(symbol -> extents.putIfAbsent(symbol.toString(), size + extents.size()));
        }
        ModelSettings settings = ModelSettings.NONE;
        for (var extent : extents.entrySet()) {
            settings = settings.with(extent.getKey(), extent.getValue().toString());
        }
        return settings;
    }

    private static double difference(StoredTensor expected, StoredTensor actual) {
        StoredTensor a = ElementConversion.convert(expected, expected.name(), DType.F64, Arena.ofAuto());
        StoredTensor b = ElementConversion.convert(actual, actual.name(), DType.F64, Arena.ofAuto());
        if (!a.shape().equals(b.shape())) {
            return Double.POSITIVE_INFINITY;
        }
        double most = 0;
        double size = Float.MIN_NORMAL;
        for (long i = 0; i < a.elements(); i++) {
            double x = a.data().getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            double y = b.data().getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            if (Double.compare(x, y) != 0) {
                most = Math.max(most, Double.isNaN(x - y) ? Double.POSITIVE_INFINITY : Math.abs(x - y));
            }
            size = Double.isFinite(x) ? Math.max(size, Math.abs(x)) : size;
        }
        return most / size;
    }
}
