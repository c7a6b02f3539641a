package dev.remat.compiler;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValuePin;
import dev.remat.ir.op.Op;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Builds a graph by names: {@code graph.node("y", new MatMul(false, false), "x", "w")}. */
public final class HandGraph {
    private final GraphBuilder builder = new GraphBuilder("Hand");
    private final Map<String, ValueId> values = new LinkedHashMap<>();

    public HandGraph data(String name, TensorType type) {
        return input(name, type, InputKind.DATA);
    }

    public HandGraph data(String name, long... dims) {
        return data(name, new TensorType(DType.F32, Shape.of(dims)));
    }

    public HandGraph parameter(String name, long... dims) {
        return input(name, new TensorType(DType.F32, Shape.of(dims)), InputKind.PARAMETER);
    }

    public HandGraph input(String name, TensorType type, InputKind kind) {
        values.put(name, builder.input(name, type, kind, Initializer.ZEROS, Location.NONE));
        return this;
    }

    public HandGraph as(Role role) {
        builder.as(role);
        return this;
    }

    /** @param results names of the results, separated by blanks */
    public HandGraph node(String results, Op op, String... operands) {
        List<ValueId> read = Stream.of(operands).map(this::id).toList();
        List<ValueId> made = builder.emit(op, read);
        String[] names = results.split(" ");
        for (int i = 0; i < names.length; i++) {
            builder.rename(made.get(i), names[i]);
            values.put(names[i], made.get(i));
        }
        return this;
    }

    public HandGraph pin(String name, Location location) {
        builder.pin(id(name), new ValuePin(ValuePin.Kind.RETAIN, location));
        return this;
    }

    public HandGraph output(String name, String value) {
        builder.output(name, id(value));
        return this;
    }

    public ValueId id(String name) {
        ValueId id = values.get(name);
        if (id == null) {
            throw new IllegalArgumentException("no value " + name);
        }
        return id;
    }

    public GraphBuilder builder() {
        return builder;
    }

    public Graph build() {
        return builder.build();
    }
}
