package dev.remat.compiler.builtin;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Arguments of a call of a builtin, complete and of the right kinds. */
public final class Arguments {
    private final Map<String, Datum> values;

    private Arguments(Map<String, Datum> values) {
        this.values = values;
    }

    /** @throws SemanticError if one is missing (E0203) or of the wrong kind (E0302) */
    public static Arguments of(String callee, Signature signature, SequencedMap<String, Datum> given) {
        Map<String, Datum> values = new LinkedHashMap<>();
        for (Signature.Slot slot : signature.slots()) {
            Datum value = given.get(slot.name());
            if (value == null) {
                value = slot.fallback()
                        .orElseThrow(() -> new SemanticError(
                                "E0203",
                                "'" + callee + "' misses its argument '" + slot.name() + "'",
                                callee + "(" + signature.text() + ")"));
            } else if (!slot.accepts(value)) {
                throw new SemanticError(
                        "E0302",
                        "'" + slot.name() + "' of '" + callee + "' is "
                                + slot.kind().description() + ", not " + value.kind());
            }
            values.put(slot.name(), value);
        }
        return new Arguments(values);
    }

    public boolean isGiven(String name) {
        return !(values.get(name) instanceof Datum.None);
    }

    public Datum any(String name) {
        return values.get(name);
    }

    public ValueId tensor(String name) {
        return ((Datum.Tensor) values.get(name)).id();
    }

    public List<ValueId> tensors(String name) {
        return items(name).stream()
                .map(element -> ((Datum.Tensor) element).id())
                .toList();
    }

    public List<Datum> items(String name) {
        return ((Datum.ListValue) values.get(name)).elements();
    }

    public boolean flag(String name) {
        return ((Datum.BoolValue) values.get(name)).value();
    }

    public String text(String name) {
        return ((Datum.StringValue) values.get(name)).value();
    }

    public DType dtype(String name) {
        return ((Datum.DTypeValue) values.get(name)).value();
    }

    public double real(String name) {
        return values.get(name) instanceof Datum.FloatValue real ? real.value() : integer(name);
    }

    /** A number that is neither infinite nor NaN. */
    double finite(String name) {
        double value = real(name);
        if (!Double.isFinite(value)) {
            throw new SemanticError("E0306", "'" + name + "' must be finite, and is " + value);
        }
        return value;
    }

    /** An integer that may be in terms of symbols. */
    public Dim dim(String name) {
        return ((Datum.IntValue) values.get(name)).value();
    }

    /** An integer that is a number already. */
    public long integer(String name) {
        return known(name, dim(name));
    }

    /** A number of groups or heads: an integer from 1 on. */
    public Dim count(String name) {
        long count = integer(name);
        if (count < 1) {
            throw new SemanticError("E0306", "'" + name + "' must be positive, and is " + count);
        }
        return Dim.of(count);
    }

    public int smallInteger(String name) {
        return small(name, integer(name));
    }

    /** Two numbers; one that is given alone counts for both. */
    public int[] pair(String name) {
        List<Dim> dims = dims(name);
        return new int[] {small(name, known(name, dims.getFirst())), small(name, known(name, dims.getLast()))};
    }

    /** Integers in terms of symbols; one that is given alone is the only one. */
    public List<Dim> dims(String name) {
        return values.get(name) instanceof Datum.ListValue items
                ? items.elements().stream()
                        .map(element -> ((Datum.IntValue) element).value())
                        .toList()
                : List.of(dim(name));
    }

    public List<Integer> integers(String name) {
        return dims(name).stream().map(dim -> small(name, known(name, dim))).toList();
    }

    public Shape shape(String name) {
        return new Shape(dims(name));
    }

    /** An axis of a tensor of {@code rank}, counted from 0; negative ones count from the end. */
    public int axis(String name, int rank) {
        return axis(smallInteger(name), rank);
    }

    /** Different axes, counted from 0. */
    public List<Integer> axes(String name, int rank) {
        List<Integer> axes = new ArrayList<>();
        for (int axis : integers(name)) {
            axes.add(axis(axis, rank));
        }
        return axes;
    }

    private static int axis(int axis, int rank) {
        if (axis < -rank || axis >= rank) {
            throw new SemanticError("E0306", "axis " + axis + " does not exist in a tensor of rank " + rank);
        }
        return axis < 0 ? axis + rank : axis;
    }

    /** The initialiser given, or {@code fallback}. */
    public Initial initial(String name, Initial fallback) {
        Datum value = values.get(name);
        return value instanceof Datum.InitializerValue start
                ? start.value()
                : Initials.ofName(value).orElse(fallback);
    }

    private static long known(String name, Dim dim) {
        if (!dim.isConstant()) {
            throw new SemanticError(
                    "E0304",
                    "'" + name + "' must be known when the model is read, but is " + dim,
                    "use a hyper-parameter, or bind the symbol with --set");
        }
        return dim.value();
    }

    private static int small(String name, long value) {
        if (value != (int) value) {
            throw new SemanticError("E0306", "'" + name + "' is out of range: " + value);
        }
        return (int) value;
    }
}
