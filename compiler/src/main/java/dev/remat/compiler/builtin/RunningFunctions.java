package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;

/** Sums, products and extremes of all elements along an axis up to each. */
public final class RunningFunctions {
    private RunningFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "cumsum",
                        "x: tensor, axis: int",
                        "Sums of all elements along `axis` up to each.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            int axis = args.axis("axis", out.type(x).rank());
                            return tensor(ReductionFunctions.along(new CumulativeSum(false), x, axis, out)
                                    .getFirst());
                        }),
                Builtin.function(
                        "cumprod",
                        "x: tensor, axis: int",
                        "Products of all elements along `axis` up to each.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            int axis = args.axis("axis", out.type(x).rank());
                            BinaryOperator<List<ValueId>> product =
                                    (a, b) -> List.of(out.mul(a.getFirst(), b.getFirst()));
                            return tensor(
                                    upToEach(List.of(x), axis, product, out).getFirst());
                        }),
                extreme("cummax", Compare.Kind.GT, "Largest"),
                extreme("cummin", Compare.Kind.LT, "Smallest"));
    }

    private static Builtin extreme(String name, Compare.Kind beats, String which) {
        return Builtin.function(
                name,
                "x: tensor, axis: int",
                which + " of all elements along `axis` up to each and where it stands, (values, indices of i32); the"
                        + " last of several, NaN before all.",
                (args, out) -> {
                    ValueId x = args.tensor("x");
                    TensorType type = out.type(x);
                    int axis = args.axis("axis", type.rank());
                    TensorType row = new TensorType(DType.I32, new Shape(List.of(type.dim(axis))));
                    Shape line = new Shape(Collections.nCopies(type.rank(), Dim.ONE)).with(axis, type.dim(axis));
                    ValueId places =
                            out.expand(out.reshape(out.apply(new Iota(0, 1, IndexMap.ROW, row)), line), type.shape());
                    BinaryOperator<List<ValueId>> extreme = (a, b) -> {
                        ValueId earlier = out.compare(beats, a.getFirst(), b.getFirst());
                        if (type.dtype().isFloat()) {
                            ValueId wasNaN = out.compare(Compare.Kind.NE, a.getFirst(), a.getFirst());
                            ValueId isNumber = out.compare(Compare.Kind.EQ, b.getFirst(), b.getFirst());
                            ValueId stays = out.binary(Binary.Kind.AND, wasNaN, isNumber);
                            earlier = out.binary(Binary.Kind.OR, earlier, stays);
                        }
                        return List.of(
                                out.select(earlier, a.getFirst(), b.getFirst()),
                                out.select(earlier, a.getLast(), b.getLast()));
                    };
                    return new Datum.ListValue(
                            upToEach(List.of(x, places), axis, extreme, out).stream()
                                    .map(ElementwiseFunctions::tensor)
                                    .toList(),
                            true);
                });
    }

    /**
     * What an associative {@code join} makes of all elements up to each, in as many rounds as the extent has binary
     * digits (Hillis and Steele, 1986): each round joins runs of double the length.
     */
    private static List<ValueId> upToEach(
            List<ValueId> given, int axis, BinaryOperator<List<ValueId>> join, Emission out) {
        long extent = Numbers.known(out.type(given.getFirst()).dim(axis));
        List<ValueId> all = given;
        for (long run = 1; run < extent; run *= 2) {
            Dim rest = Dim.of(extent - run);
            List<ValueId> joined = join.apply(parts(all, axis, 0, rest, out), parts(all, axis, run, rest, out));
            List<ValueId> first = parts(all, axis, 0, Dim.of(run), out);
            List<ValueId> next = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                next.add(out.apply(new Concat(axis), first.get(i), joined.get(i)));
            }
            all = next;
        }
        return all;
    }

    private static List<ValueId> parts(List<ValueId> all, int axis, long start, Dim size, Emission out) {
        return all.stream()
                .map(each -> SelectionFunctions.part(each, axis, Dim.of(start), size, out))
                .toList();
    }
}
