package dev.remat.compiler.onnx;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The tensors of ONNX that stand for the values of a graph. One may be smaller than its value, and repeat to it as
 * NumPy's do: what only repeats elements is left to whoever reads them, and costs neither node nor memory.
 */
final class HeldTensors {
    /** A tensor and its shape, which repeats to that of the value. */
    record Held(String name, Shape shape) {}

    private final Graph graph;
    private final OnnxGraph out;
    private final RuntimeExtents extents;
    private final String[] modules;
    private final Held[] held;
    private final List<Supplier<String>> later = new ArrayList<>();

    /** @param modules around the node of each value */
    HeldTensors(Graph graph, OnnxGraph out, RuntimeExtents extents, String[] modules) {
        this.modules = modules;
        this.graph = graph;
        this.out = out;
        this.extents = extents;
        this.held = new Held[graph.values().size()];
        graph.values().forEach(_ -> later.add(null));
    }

    /** Path of the module that the node of a value is in. */
    String module(ValueId value) {
        return modules[value.index()];
    }

    /** What stands for a value. */
    Held held(ValueId value) {
        if (held[value.index()] == null) {
            put(value, later.get(value.index()).get());
        }
        return held[value.index()];
    }

    /** A tensor with the shape of the value. */
    String whole(ValueId value) {
        Held now = held(value);
        Shape shape = graph.type(value).shape();
        if (!now.shape().equals(shape)) {
            put(value, out.add(module(value), "Expand", List.of(now.name(), extents.row(shape.dims()))));
        }
        return held[value.index()].name();
    }

    void put(ValueId value, String name) {
        put(value, new Held(name, graph.type(value).shape()));
    }

    void put(ValueId value, Held tensor) {
        held[value.index()] = tensor;
    }

    /** @param making which gives a tensor of the value's shape, if it is ever read */
    void putLater(ValueId value, Supplier<String> making) {
        later.set(value.index(), making);
    }

    /** The shape of what is computed element by element of tensors of these shapes. */
    static Shape together(List<Shape> shapes) {
        int rank = shapes.stream().mapToInt(Shape::rank).max().orElse(0);
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            Dim extent = Dim.ONE;
            for (Shape shape : shapes) {
                int own = axis - rank + shape.rank();
                if (own >= 0 && !shape.dim(own).is(1)) {
                    extent = shape.dim(own);
                }
            }
            dims.add(extent);
        }
        return new Shape(dims);
    }
}
