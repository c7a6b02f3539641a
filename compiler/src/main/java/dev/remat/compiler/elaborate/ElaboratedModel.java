package dev.remat.compiler.elaborate;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.DType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.graph.VerificationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A model whose layers are inlined and whose names are resolved.
 *
 * @param hash SHA-256 of the canonical form with its hyper-parameters, in hexadecimal
 * @param identity what a checkpoint of it must agree on
 * @param forward over the symbols that no extent was given for; has the output {@code loss} if it is trained
 * @param symbols names of the model's symbols, in its order
 * @param extents of the symbols that were bound, in the order of the model
 * @param microBatches how the batch is cut, if it is; {@code forward} is that of a micro-batch then
 */
public record ElaboratedModel(
        String name,
        String hash,
        ModelIdentity identity,
        Purpose purpose,
        Graph forward,
        TrainingSpec training,
        List<String> symbols,
        SequencedMap<String, Long> extents,
        Optional<MicroBatches> microBatches) {
    public ElaboratedModel {
        symbols = List.copyOf(symbols);
        extents = inOrder(symbols, extents);
    }

    private static SequencedMap<String, Long> inOrder(List<String> symbols, SequencedMap<String, Long> extents) {
        SequencedMap<String, Long> ordered = new LinkedHashMap<>();
        symbols.stream().filter(extents::containsKey).forEach(symbol -> ordered.put(symbol, extents.get(symbol)));
        return ordered;
    }

    /** Symbols without an extent. */
    public List<String> open() {
        return symbols.stream().filter(symbol -> !extents.containsKey(symbol)).toList();
    }

    /**
     * With one more symbol bound; empty where a tensor becomes empty or too large or an operation impossible, which
     * elaboration says in words.
     */
    public Optional<ElaboratedModel> bind(String symbol, long extent) {
        SequencedMap<String, Long> more = new LinkedHashMap<>(extents);
        more.put(symbol, extent);
        Graph bound;
        try {
            bound = BindSymbols.run(forward, more);
            GraphVerifier.verify(bound);
        } catch (VerificationException | ArithmeticException | IllegalArgumentException e) {
            // A slice past the end, a pooling window larger than its image, or a product beyond 64 bits.
            return Optional.empty();
        }
        return bound.values().stream().allMatch(value -> TensorLimits.allow(value.type()))
                ? Optional.of(new ElaboratedModel(
                        name, hash, identity, purpose, bound, training, symbols, more, microBatches))
                : Optional.empty();
    }

    /** The same to be trained, or for gradients alone: their forward graphs are the same. */
    public ElaboratedModel with(Purpose other) {
        if ((purpose == Purpose.EVALUATE) != (other == Purpose.EVALUATE)) {
            throw new IllegalArgumentException("a graph for " + purpose + " is none for " + other);
        }
        return new ElaboratedModel(name, hash, identity, other, forward, training, symbols, extents, microBatches);
    }

    /**
     * The same cut into micro-batches.
     *
     * @param other forward graph of a micro-batch
     */
    public ElaboratedModel with(Graph other, MicroBatches cut) {
        return new ElaboratedModel(name, hash, identity, purpose, other, training, symbols, extents, Optional.of(cut));
    }

    public ElaboratedModel with(Graph other) {
        return new ElaboratedModel(name, hash, identity, purpose, other, training, symbols, extents, microBatches);
    }

    /** The same with another seed. */
    public ElaboratedModel withSeed(long seed) {
        return with(training.withSeed(seed));
    }

    /** The same in another precision; in f64, parameters are f64, too. */
    public ElaboratedModel withPrecision(DType precision) {
        return with(training.withPrecision(precision));
    }

    /** The same with its batch cut into so many parts of equal size, from 1. */
    public ElaboratedModel withMicroBatches(int microBatches) {
        return with(training.withMicroBatches(microBatches));
    }

    /** The same that goes through its micro-batches in this order. */
    public ElaboratedModel with(MicroBatchOrder order) {
        return with(training.with(order));
    }

    /** The same, evaluated by the parameters as trained where the model averages them. */
    public ElaboratedModel withoutAverage() {
        return with(training.withoutAverage());
    }

    private ElaboratedModel with(TrainingSpec other) {
        return new ElaboratedModel(name, hash, identity, purpose, forward, other, symbols, extents, microBatches);
    }
}
