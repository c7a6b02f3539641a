package dev.remat.cli.trained;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.fit.ModelByExtent;
import dev.remat.compiler.split.CutBatch;
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
import java.util.function.Function;
import java.util.stream.IntStream;

/** A model by the number of its samples: the symbol with which the shapes of all its inputs begin. */
public final class BatchedModel {
    private final ElaboratedModel whole;
    private final Optional<String> symbol;
    private final Optional<ElaboratedModel> open;
    private final Optional<ModelByExtent> byExtent;

    private BatchedModel(
            ElaboratedModel whole,
            Optional<String> symbol,
            Optional<ElaboratedModel> open,
            Optional<ModelByExtent> byExtent) {
        this.whole = whole;
        this.symbol = symbol;
        this.open = open;
        this.byExtent = byExtent;
    }

    /**
     * Finds the symbol.
     *
     * @param whole with all symbols bound
     * @param bindings that made it
     * @param elaborate with other bindings
     */
    public static BatchedModel of(
            ElaboratedModel whole, Bindings bindings, Function<Bindings, ElaboratedModel> elaborate) {
        for (String symbol : whole.symbols()) {
            Bindings others = bindings.without(symbol);
            try {
                ElaboratedModel open = elaborate.apply(others);
                if (CutBatch.beginsAllData(symbol, open.forward())) {
                    return new BatchedModel(
                            whole,
                            Optional.of(symbol),
                            Optional.of(open),
                            Optional.of(new ModelByExtent(symbol, others, elaborate)));
                }
            } catch (ModelException e) {
                // The model needs the number, as for the length of a loop; a batch is no such number.
            }
        }
        return new BatchedModel(whole, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** With the number of samples that the settings give. */
    public ElaboratedModel whole() {
        return whole;
    }

    /** With another number of samples; empty if the model takes no such number. */
    public Optional<ElaboratedModel> with(long samples) {
        try {
            return byExtent.map(model -> model.with(samples));
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
        open.ifPresent(model -> {
            for (GraphOutput output : model.forward().outputs()) {
                axes.put(output.name(), axesOf(model.forward().type(output.value())));
            }
        });
        return axes;
    }

    private List<Integer> axesOf(TensorType type) {
        return IntStream.range(0, type.shape().rank())
                .filter(axis -> !extent(type.shape().dim(axis), 2)
                        .equals(extent(type.shape().dim(axis), 3)))
                .boxed()
                .toList();
    }

    private Dim extent(Dim dim, long samples) {
        SequencedMap<String, Long> bound = new LinkedHashMap<>();
        bound.put(symbol.orElseThrow(), samples);
        return dim.substitute(bound);
    }
}
