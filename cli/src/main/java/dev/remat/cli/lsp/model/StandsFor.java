package dev.remat.cli.lsp.model;

import dev.remat.compiler.stage.NameListener;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the names of a model stood for when it was elaborated, by place. */
public final class StandsFor implements NameListener {
    private static final int MOST_TYPES = 6;
    private static final int MOST_VALUES = 2048;

    private final BooleanSupplier superseded;
    private final Map<Location, Facts> facts = new LinkedHashMap<>();
    private Optional<Graph> graph = Optional.empty();

    /**
     * All that a place stood for.
     *
     * @param types each once, in the order in which they were met
     * @param values of the graph, one for each round and application
     */
    public record Facts(Set<TensorType> types, Set<String> texts, Set<ValueId> values, int[] count) {
        Facts() {
            this(new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>(), new int[1]);
        }

        /** How often something stood there. */
        public int times() {
            return count[0];
        }
    }

    /** @param superseded whether nobody wants to know any more, which ends in a {@link CancellationException} */
    public StandsFor(BooleanSupplier superseded) {
        this.superseded = superseded;
    }

    private Facts at(Location place) {
        if (superseded.getAsBoolean()) {
            throw new CancellationException();
        }
        Facts known = facts.computeIfAbsent(place, _ -> new Facts());
        known.count[0]++;
        return known;
    }

    @Override
    public void tensor(Location place, ValueId value, TensorType type) {
        Facts known = at(place);
        if (known.types.size() < MOST_TYPES) {
            known.types.add(type);
        }
        if (known.values.size() < MOST_VALUES) {
            known.values.add(value);
        }
    }

    @Override
    public void other(Location place, Supplier<String> text) {
        Facts known = at(place);
        if (known.texts.size() < MOST_TYPES) {
            known.texts.add(text.get());
        }
    }

    @Override
    public void built(Graph forward) {
        graph = Optional.of(forward);
    }

    public Optional<Facts> find(Location place) {
        return Optional.ofNullable(facts.get(place));
    }

    /** Names of the values in plans; none where the model has mistakes. */
    public List<String> names(Facts of) {
        List<String> names = new ArrayList<>();
        graph.ifPresent(
                built -> of.values().forEach(id -> names.add(built.value(id).name())));
        return names;
    }

    /** Every operation with what it reads, in the order of the graph; none where the model has mistakes. */
    public List<String> operations() {
        List<String> operations = new ArrayList<>();
        graph.ifPresent(built -> built.nodes().forEach(node -> operations.add(node.op() + " " + node.operands())));
        return operations;
    }
}
