package dev.remat.compiler.builtin.prelude;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.compiler.builtin.layer.Reduction;
import dev.remat.compiler.builtin.layer.Rows;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Reduce;
import java.util.List;
import java.util.regex.Matcher;
import java.util.stream.IntStream;

/** What only the prelude may call. */
final class PreludeTools {
    private PreludeTools() {}

    static List<Builtin> table() {
        return List.of(
                tool(
                        "require",
                        "condition: bool, message: string, values: list = none, code: string = \"E0306\"",
                        PreludeTools::require),
                tool("given", "x: any = none", (args, out) -> new Datum.BoolValue(args.isGiven("x"))),
                tool(
                        "reduced",
                        "losses: tensor, reduction: string",
                        (args, out) -> new Datum.Tensor(Reduction.of(args).of(args.tensor("losses"), out))),
                tool(
                        "aligned",
                        "name: string, x: tensor, y: tensor",
                        (args, out) -> tuple(Tensors.aligned(args.text("name"), args.any("x"), args.any("y"), out))),
                tool("halves", "x: tensor, axis: int, name: string", PreludeTools::halves),
                tool("rows", "logits: tensor, targets: tensor", (args, out) -> {
                    Rows rows = Rows.of("logits", args, out);
                    return tuple(List.of(rows.scores(), rows.targets()));
                }),
                tool("places", "ids: tensor, count: int", (args, out) -> {
                    TensorType ids = out.type(args.tensor("ids"));
                    TensorType line = ids.with(new Shape(List.of(args.dim("count"))));
                    return new Datum.Tensor(out.apply(new Iota(0, 1, IndexMap.ROW, line)));
                }),
                tool("wide", "x: tensor", (args, out) -> new Datum.Tensor(Tensors.wide(args.tensor("x"), out))),
                tool(
                        "like",
                        "x: tensor, other: tensor",
                        (args, out) -> new Datum.Tensor(out.cast(
                                args.tensor("x"), out.type(args.tensor("other")).dtype()))),
                tool(
                        "raised",
                        "x: tensor, exponent: float",
                        (args, out) -> new Datum.Tensor(
                                Tensors.binary(Binary.Kind.POW, args.any("x"), args.any("exponent"), out))),
                tool("shaped", "x: tensor, axis: ints = none, keepdim: bool", PreludeTools::shaped),
                tool("counted", "x: tensor, axis: ints = none, sum: tensor", PreludeTools::counted));
    }

    private static Builtin tool(String name, String signature, Builtin.Body body) {
        return Builtin.function(name, signature, "", body);
    }

    private static Datum tuple(List<ValueId> tensors) {
        return new Datum.ListValue(
                tensors.stream().<Datum>map(Datum.Tensor::new).toList(), true);
    }

    /** Nothing, or an error whose message has {@code values} in place of each {@code {}}. */
    private static Datum require(Arguments args, Emission out) {
        if (args.flag("condition")) {
            return new Datum.None();
        }
        String message = args.text("message");
        for (Datum value : args.isGiven("values") ? args.items("values") : List.<Datum>of()) {
            String text = switch (value) {
                case Datum.Tensor tensor -> out.type(tensor.id()).toString();
                case Datum.ListValue items -> new Datum.ListValue(items.elements(), false).text();
                case Datum other -> other.text();
            };
            message = message.replaceFirst("\\{}", Matcher.quoteReplacement(text));
        }
        throw new SemanticError(args.text("code"), message);
    }

    private static Datum halves(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int axis = args.axis("axis", type.rank());
        Dim extent = type.dim(axis);
        Dim half = extent.divideExact(Dim.of(2))
                .orElseThrow(() -> new SemanticError(
                        "E0301",
                        args.text("name") + " halves axis " + axis + ", and " + extent + " of " + type + " is odd"));
        ValueId second = SelectionFunctions.part(x, axis, half, half, out);
        return tuple(List.of(SelectionFunctions.part(x, axis, Dim.ZERO, half, out), second));
    }

    private static List<Integer> axes(Arguments args, Emission out) {
        int rank = out.type(args.tensor("x")).rank();
        return args.isGiven("axis")
                ? args.axes("axis", rank)
                : IntStream.range(0, rank).boxed().toList();
    }

    /** Without the axes, which have extent 1, unless they are kept. */
    private static Datum shaped(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        return new Datum.Tensor(args.flag("keepdim") ? x : Tensors.dropped(x, axes(args, out), out));
    }

    /** How many elements {@code sum} adds, in its type; counted in the graph where extents are symbols. */
    private static Datum counted(Arguments args, Emission out) {
        TensorType type = out.type(args.tensor("x"));
        TensorType sums = out.type(args.tensor("sum"));
        Shape counted = new Shape(axes(args, out).stream().map(type::dim).toList());
        return new Datum.Tensor(
                counted.isStatic()
                        ? out.filled(Numbers.known(counted.elements()), sums)
                        : out.expand(
                                Tensors.total(Reduce.Kind.SUM, out.filled(1, type.with(counted)), out), sums.shape()));
    }
}
