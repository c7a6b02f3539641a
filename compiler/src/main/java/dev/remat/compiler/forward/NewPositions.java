package dev.remat.compiler.forward;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.BatchOperands;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The new positions of a text among those of a window, in a graph under construction. */
final class NewPositions {
    static final class NotOneByOneException extends RuntimeException {
        NotOneByOneException(String reason) {
            super(reason);
        }
    }

    private final GraphBuilder out;
    /** How many there are: the symbol that is the length of the text in the model. */
    private final Dim length;

    private final long window;
    private final ValueId positions;
    /** What values at new positions are to those at all. */
    private final Map<ValueId, BatchRole> roles = new LinkedHashMap<>();

    NewPositions(GraphBuilder out, Dim length, long window) {
        this.out = out;
        this.length = length;
        this.window = window;
        this.positions = out.input(
                "positions",
                new TensorType(DType.I64, new Shape(List.of(length))),
                InputKind.DATA,
                Initializer.ZEROS,
                Location.NONE);
    }

    /** Name of the input that their numbers are. */
    String input() {
        return out.value(positions).name();
    }

    void put(ValueId value, BatchRole role) {
        roles.put(value, role);
    }

    BatchRole role(ValueId value) {
        return roles.get(value);
    }

    boolean hasLength(TensorType type) {
        return type.shape().dims().stream().anyMatch(dim -> dim.mentions(length));
    }

    Dim bound(Dim dim) {
        return dim.replace(length, Dim.of(window));
    }

    TensorType bound(TensorType type) {
        return type.with(new Shape(type.shape().dims().stream().map(this::bound).toList()));
    }

    int firstAxis(TensorType type) {
        for (int axis = 0; axis < type.rank(); axis++) {
            if (type.dim(axis).equals(length)) {
                return axis;
            }
        }
        throw new NotOneByOneException("has no row for each position: " + type);
    }

    /** The axis along which a value at new positions has one row for each. */
    int axisOfPositions(ValueId now) {
        if (roles.get(now) instanceof BatchRole.Rows(int axis, Dim outer)
                && outer.is(1)
                && out.type(now).dim(axis).equals(length)) {
            return axis;
        }
        throw new NotOneByOneException("has no row for each position: " + out.type(now));
    }

    /** The numbers of the new positions along an axis. */
    ValueId numbers(TensorType type, int axis) {
        List<Dim> aligned = new ArrayList<>();
        for (int i = 0; i < type.rank(); i++) {
            aligned.add(i == axis ? length : Dim.ONE);
        }
        ValueId numbers = out.expand(out.reshape(positions, new Shape(aligned)), type.shape());
        roles.put(numbers, new BatchRole.Rows(axis, Dim.ONE));
        return numbers;
    }

    List<BatchRole> roles(Op op, List<ValueId> operands, List<TensorType> results) {
        return new BatchOperands(
                        length,
                        operands.stream().map(roles::get).toList(),
                        operands.stream().map(out::type).toList(),
                        results)
                .rolesOf(op);
    }

    /** Of the extents of a result that has positions along two axes, as scores have, the second are all positions. */
    UnaryOperator<Dim> keysBound(TensorType type) {
        long axes =
                type.shape().dims().stream().filter(dim -> dim.mentions(length)).count();
        boolean[] first = {true};
        return dim -> {
            if (axes < 2 || !dim.mentions(length)) {
                return dim;
            }
            boolean isFirst = first[0];
            first[0] = false;
            return isFirst ? dim : bound(dim);
        };
    }

    /** Which positions of the window are not after a new one: bool [1, 1, new, window]. */
    ValueId earlier() {
        TensorType keys = new TensorType(DType.I64, new Shape(List.of(Dim.ONE, Dim.ONE, length, Dim.of(window))));
        ValueId all = out.apply(new Iota(0, 1, new IndexMap(0, List.of(0L, 0L, 0L, 1L)), keys));
        return out.compare(Compare.Kind.LE, all, numbers(keys, 2));
    }
}
