package dev.remat.compiler.model;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.GraphOutput;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A model to be evaluated, by the number of its samples: the symbol with which the shapes of all its inputs begin. */
public final class BatchedModel {
    private final ElaboratedModel whole;
    private final Optional<ModelByExtent> bySamples;

    private BatchedModel(ElaboratedModel whole, Optional<ModelByExtent> bySamples) {
        this.whole = whole;
        this.bySamples = bySamples;
    }

    /** Finds the symbol; a model that needs its number, as for the length of a loop, has none. */
    static BatchedModel of(ModelSession session) {
        ElaboratedModel whole = session.whole(Purpose.EVALUATE);
        Optional<ModelByExtent> bySamples = Stream.concat(
                        session.source().batchSymbol().stream(), whole.symbols().stream())
                .distinct()
                .map(symbol -> new ModelByExtent(
                        symbol, session.with(session.settings().without(symbol)), Purpose.EVALUATE))
                .filter(ModelByExtent::isOfRows)
                .findFirst();
        return new BatchedModel(whole, bySamples);
    }

    /** With the number of samples that the settings give. */
    public ElaboratedModel whole() {
        return whole;
    }

    /** With another number of samples; empty if the model takes no such number. */
    public Optional<ElaboratedModel> with(long samples) {
        try {
            return bySamples.map(model -> model.with(samples));
        } catch (ModelException e) {
            // As where samples are taken by twos.
            return Optional.empty();
        }
    }

    /** By output the first axis whose extent depends on the number of samples; of a model that fixes it, none. */
    public Map<String, Integer> sampleAxes() {
        Map<String, Integer> axes = new TreeMap<>();
        outputAxes().forEach((name, found) -> {
            if (!found.isEmpty()) {
                axes.put(name, found.getFirst());
            }
        });
        return axes;
    }

    /** Outputs that cannot be joined over batches, such as a product of all samples with all. */
    public List<String> severalAxes() {
        return outputAxes().entrySet().stream()
                .filter(output -> output.getValue().size() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    private SequencedMap<String, List<Integer>> outputAxes() {
        SequencedMap<String, List<Integer>> axes = new LinkedHashMap<>();
        bySamples.ifPresent(model -> {
            ElaboratedModel open = model.open().orElseThrow();
            for (GraphOutput output : open.forward().outputs()) {
                axes.put(output.name(), axesOf(open.forward().type(output.value()), model.symbol()));
            }
        });
        return axes;
    }

    private static List<Integer> axesOf(TensorType type, String symbol) {
        return IntStream.range(0, type.shape().rank())
                .filter(axis -> !extent(type.shape().dim(axis), symbol, 2)
                        .equals(extent(type.shape().dim(axis), symbol, 3)))
                .boxed()
                .toList();
    }

    private static Dim extent(Dim dim, String symbol, long samples) {
        SequencedMap<String, Long> bound = new LinkedHashMap<>();
        bound.put(symbol, samples);
        return dim.substitute(bound);
    }
}
