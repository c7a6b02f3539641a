package dev.remat.compiler.stage;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import java.util.function.Supplier;

/** Hears, while a model is elaborated, what its names and calls stand for: once for every round and application. */
public interface NameListener {
    NameListener NONE = new NameListener() {
        @Override
        public void tensor(Location at, ValueId value, TensorType type) {}

        @Override
        public void other(Location at, Supplier<String> text) {}
    };

    /**
     * A name is bound to a tensor, or a call makes one.
     *
     * @param at where the name is bound, or the callee
     * @param value in the graph that {@link #built} gets
     */
    void tensor(Location at, ValueId value, TensorType type);

    /**
     * The same of what is no tensor.
     *
     * @param text much as it would be written
     */
    void other(Location at, Supplier<String> text);

    /** The whole graph; does not come where the model is wrong. */
    default void built(Graph forward) {}
}
