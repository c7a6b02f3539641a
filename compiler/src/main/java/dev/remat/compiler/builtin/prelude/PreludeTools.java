package dev.remat.compiler.builtin.prelude;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.compiler.builtin.layer.Reduction;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.regex.Matcher;

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
                tool("halves", "x: tensor, axis: int, name: string", PreludeTools::halves));
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
}
