package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Operators that give the same elements another shape or order. */
final class ShapeOperators {
    private ShapeOperators() {}

    static List<Operator> table() {
        return List.of(
                direct("Reshape", ShapeOperators::reshape),
                direct("Flatten", ShapeOperators::flatten),
                direct("Squeeze", ShapeOperators::squeeze),
                direct("Unsqueeze", ShapeOperators::unsqueeze),
                direct("Transpose", ShapeOperators::transpose),
                direct("Expand", use -> {
                    List<Dim> dims = use.dims(1, "shape").orElseThrow();
                    return use.out()
                            .broadcast(
                                    use.in(0),
                                    use.out().broadcast(use.in(0).type().shape(), new Shape(dims)));
                }),
                direct("Tile", ShapeOperators::tile),
                direct(
                        "Concat",
                        use -> use.out()
                                .concat(use.all(), use.axis("axis", 1, use.in(0).rank()))),
                Operator.several("Split", How.DIRECT, ShapeOperators::split),
                composed("DepthToSpace", ShapeOperators::depthToSpace),
                composed("SpaceToDepth", ShapeOperators::spaceToDepth),
                direct("Trilu", ShapeOperators::triangle),
                composed("EyeLike", ShapeOperators::eye));
    }

    private static Tensor reshape(Use use) {
        Tensor x = use.in(0);
        List<Dim> target = use.dims(1, "shape").orElseThrow();
        boolean keepsZeros = use.flag("allowzero", false);
        List<Dim> dims = new ArrayList<>();
        int open = -1;
        for (int i = 0; i < target.size(); i++) {
            Dim dim = target.get(i);
            if (dim.is(0) && !keepsZeros) {
                if (i >= x.rank()) {
                    throw use.detail("its shape copies axis " + i + ", which the operand lacks");
                }
                dim = x.dim(i);
            }
            if (dim.is(-1)) {
                open = i;
                dim = Dim.ONE;
            }
            dims.add(dim);
        }
        Dim before = Expressions.product(x.dims());
        Dim after = Expressions.product(dims);
        if (open >= 0) {
            int at = open;
            dims.set(
                    at,
                    before.divideExact(after)
                            .or(() -> cancelled(x.dims(), dims))
                            .orElseThrow(() -> use.detail("the " + before + " elements of its operand are not known to"
                                    + " be rows of " + after)));
        } else if (!before.equals(after)) {
            settle(use, x, dims, before, after);
        }
        return use.out().reshape(x, dims);
    }

    /** A quotient of products, factor by factor, where the polynomials do not divide. */
    private static Optional<Dim> cancelled(List<Dim> numerator, List<Dim> denominator) {
        List<Dim> above = new ArrayList<>(numerator);
        List<Dim> below = new ArrayList<>();
        for (Dim factor : denominator) {
            if (!above.remove(factor)) {
                below.add(factor);
            }
        }
        return Expressions.product(above).divideExact(Expressions.product(below));
    }

    /** Both sides have as many elements, which says what an extent is, or else it is an error. */
    private static void settle(Use use, Tensor x, List<Dim> dims, Dim before, Dim after) {
        List<Dim> above = new ArrayList<>(x.dims());
        List<Dim> below = new ArrayList<>();
        for (Dim factor : dims) {
            if (!above.remove(factor)) {
                below.add(factor);
            }
        }
        if (!settle(use, above, Expressions.product(below)) && !settle(use, below, Expressions.product(above))) {
            throw use.detail("its operand has " + before + " elements, and its shape " + after);
        }
    }

    /** Finds an open extent among factors that, with the others, make a product. */
    private static boolean settle(Use use, List<Dim> factors, Dim product) {
        for (Dim factor : factors) {
            List<Dim> others = new ArrayList<>(factors);
            others.remove(factor);
            Dim rest = Expressions.product(others);
            Optional<Dim> value = product.divideExact(rest);
            if (!factor.isConstant() && rest.isConstant() && value.isPresent()) {
                use.out().symbols().join(factor, value.get());
                return true;
            }
        }
        return false;
    }

    private static Tensor flatten(Use use) {
        Tensor x = use.in(0);
        long axis = use.integer("axis", 1);
        int at = (int) (axis < 0 ? axis + x.rank() : axis);
        if (at < 0 || at > x.rank()) {
            throw use.detail("its axis is " + axis + ", of " + x.rank());
        }
        List<Dim> dims = List.of(
                Expressions.product(x.dims().subList(0, at)),
                Expressions.product(x.dims().subList(at, x.rank())));
        return at == 1 && x.rank() > 2
                ? use.out().call("flatten", x.type().with(new Shape(dims)), x)
                : use.out().reshape(x, dims);
    }

    private static Tensor squeeze(Use use) {
        Tensor x = use.in(0);
        Optional<List<Long>> said = use.numbers(1, "axes");
        List<Integer> axes = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            int each = axis;
            if (said.isPresent()
                    ? said.get().stream().anyMatch(named -> use.axis(named, x.rank()) == each)
                    : x.dim(axis).is(1)) {
                axes.add(axis);
            }
        }
        for (int axis : axes) {
            use.out().symbols().join(Dim.ONE, x.dim(axis));
        }
        if (axes.size() == 1) {
            return use.out().squeeze(x, axes.getFirst());
        }
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            if (!axes.contains(axis)) {
                dims.add(x.dim(axis));
            }
        }
        return use.out().reshape(x, dims);
    }

    private static Tensor unsqueeze(Use use) {
        Tensor x = use.in(0);
        List<Long> said = use.numbers(1, "axes").orElseThrow(() -> use.detail("it lacks its axes"));
        int rank = x.rank() + said.size();
        List<Integer> axes = said.stream()
                .map(axis -> use.axis(axis, rank))
                .sorted()
                .distinct()
                .toList();
        if (axes.size() != said.size()) {
            throw use.detail("it names an axis twice");
        }
        if (axes.size() == 1) {
            return use.out().unsqueeze(x, axes.getFirst());
        }
        List<Dim> dims = new ArrayList<>(x.dims());
        axes.forEach(axis -> dims.add(axis, Dim.ONE));
        return use.out().reshape(x, dims);
    }

    private static Tensor transpose(Use use) {
        Tensor x = use.in(0);
        List<Integer> axes =
                new ArrayList<>(IntStream.range(0, x.rank()).boxed().toList());
        Collections.reverse(axes);
        List<Integer> order = use.integers("perm")
                .map(perm -> perm.stream().map(axis -> use.axis(axis, x.rank())).toList())
                .orElse(axes);
        if (order.stream().distinct().count() != x.rank()) {
            throw use.detail("its order of axes is " + order + ", of " + x.rank());
        }
        return use.out().permute(x, order);
    }

    private static Tensor tile(Use use) {
        Tensor x = use.in(0);
        List<Dim> repeats = use.dims(1, "repeats").orElseThrow();
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            dims.add(x.dim(axis).times(repeats.get(axis)));
        }
        Shape shape = new Shape(dims);
        boolean isBroadcast = IntStream.range(0, x.rank())
                .allMatch(axis -> x.dim(axis).is(1) || repeats.get(axis).is(1));
        return isBroadcast
                ? use.out().broadcast(x, shape)
                : use.out().call("tile", x.type().with(shape), x, repeats);
    }

    private static List<Tensor> split(Use use) {
        Tensor x = use.in(0);
        int axis = use.axis("axis", 0, x.rank());
        int count = use.node().outputs().size();
        List<Dim> sizes = use.dims(1, "split").orElseGet(() -> {
            int parts = (int) use.integer("num_outputs", count);
            Optional<Dim> even = x.dim(axis).divideExact(Dim.of(parts));
            List<Dim> equal = new ArrayList<>();
            if (even.isPresent()) {
                IntStream.range(0, parts).forEach(_ -> equal.add(even.get()));
            } else {
                long all = use.extent(x, axis);
                long each = Math.ceilDiv(all, parts);
                for (long begin = 0; begin < all; begin += each) {
                    equal.add(Dim.of(Math.min(each, all - begin)));
                }
            }
            return equal;
        });
        if (sizes.size() < count) {
            throw use.detail("it has " + count + " results of " + sizes.size() + " parts");
        }
        if (sizes.size() == 1) {
            return List.of(x);
        }
        Object sections = sizes.stream().distinct().count() == 1 ? (Object) sizes.size() : sizes;
        List<TensorType> types = sizes.stream()
                .map(size -> x.type().with(x.type().shape().with(axis, size)))
                .toList();
        return use.out().tuple(use.out().spelling("split", x, sections, Expressions.named("axis", axis)), types);
    }

    private static Tensor depthToSpace(Use use) {
        Tensor x = use.in(0);
        Dim block = Dim.of(use.integer("blocksize", 1));
        Dim channels = Dim.of(use.extent(x, 1)).floorDiv(block.value() * block.value());
        boolean isColumnFirst = use.text("mode", "DCR").equals("CRD");
        Dim n = x.dim(0);
        Dim h = x.dim(2);
        Dim w = x.dim(3);
        Expressions out = use.out();
        Tensor apart = isColumnFirst
                ? out.permute(out.reshape(x, List.of(n, channels, block, block, h, w)), List.of(0, 1, 4, 2, 5, 3))
                : out.permute(out.reshape(x, List.of(n, block, block, channels, h, w)), List.of(0, 3, 4, 1, 5, 2));
        return out.reshape(apart, List.of(n, channels, h.times(block), w.times(block)));
    }

    private static Tensor spaceToDepth(Use use) {
        Tensor x = use.in(0);
        long block = use.integer("blocksize", 1);
        Dim h = x.dim(2).floorDiv(block);
        Dim w = x.dim(3).floorDiv(block);
        Dim size = Dim.of(block);
        Expressions out = use.out();
        Tensor apart = out.reshape(x, List.of(x.dim(0), x.dim(1), h, size, w, size));
        return out.reshape(
                out.permute(apart, List.of(0, 3, 5, 1, 2, 4)),
                List.of(x.dim(0), x.dim(1).times(block * block), h, w));
    }

    private static Tensor triangle(Use use) {
        long diagonal = use.knownIf(1)
                .map(constant -> use.number(constant.integers().getFirst(), "k"))
                .orElse(0L);
        String function = use.flag("upper", true) ? "triu" : "tril";
        return diagonal == 0 ? use.out().unary(function, use.in(0)) : use.out().unary(function, use.in(0), diagonal);
    }

    private static Tensor eye(Use use) {
        Tensor x = use.in(0);
        DType dtype = use.has("dtype") ? ElementwiseOperators.dtype(use, "dtype") : x.dtype();
        Expressions out = use.out();
        long offset = use.integer("k", 0);
        if (offset == 0) {
            return out.call(
                    "eye",
                    new TensorType(dtype, x.type().shape()),
                    x.dim(0),
                    x.dim(1),
                    Expressions.named("dtype", dtype));
        }
        Tensor rows = out.unsqueeze(RangeOperator.count(use, x.dim(0)), 1);
        Tensor columns = RangeOperator.count(use, x.dim(1));
        return out.cast(out.infix("==", out.infix("-", columns, rows), out.integer(DType.I64, Dim.of(offset))), dtype);
    }
}
