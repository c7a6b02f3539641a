package dev.remat.compiler.builtin;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;

/** Functions that go element by element. */
public final class ElementwiseFunctions {
    private ElementwiseFunctions() {}

    public static List<Builtin> table() {
        List<Builtin> table = new ArrayList<>();
        table.add(unary("relu", Unary.Kind.RELU, "The positive part, max(x, 0)."));
        table.add(Builtin.function(
                "leaky_relu",
                "x: tensor, negative_slope: float = 0.01",
                "`x` where positive, `negative_slope·x` elsewhere (Maas et al., 2013).",
                (args, out) -> tensor(out.apply(new LeakyRelu(args.real("negative_slope")), args.tensor("x")))));
        table.add(Builtin.function(
                "gelu",
                "x: tensor, approximate: string = \"none\"",
                "x·Φ(x) (Hendrycks and Gimpel, 2016); `approximate = \"tanh\"` as in GPT-2.",
                (args, out) -> tensor(out.unary(gelu(args.text("approximate")), args.tensor("x")))));
        table.add(unary("silu", Unary.Kind.SILU, "x·sigmoid(x)."));
        table.add(unary("sigmoid", Unary.Kind.SIGMOID, "1/(1 + e⁻ˣ)."));
        table.add(unary("softplus", Unary.Kind.SOFTPLUS, "log(1 + eˣ)."));
        table.addAll(ScalarFunctions.table());
        table.add(operator("add", Binary.Kind.ADD, "`x + y`."));
        table.add(operator("sub", Binary.Kind.SUB, "`x - y`."));
        table.add(operator("mul", Binary.Kind.MUL, "`x * y`."));
        table.add(operator("div", Binary.Kind.DIV, "`x / y`."));
        table.add(operator("min", Binary.Kind.MIN, "The smaller, element by element; of tensors or numbers."));
        table.add(operator("max", Binary.Kind.MAX, "The larger, element by element; of tensors or numbers."));
        table.add(operator("pow", Binary.Kind.POW, "`x ** y`."));
        table.add(operator("remainder", Binary.Kind.REMAINDER, "`x % y`: what `floordiv` leaves, of the sign of `y`."));
        table.add(operator("fmod", Binary.Kind.FMOD, "The rest of `x / y` rounded towards 0, of the sign of `x`."));
        table.add(operator(
                "floordiv", Binary.Kind.FLOORDIV, "Quotient rounded down; integers stay integers. Without gradient."));
        table.add(operator("atan2", Binary.Kind.ATAN2, "Angle of the point with abscissa `y` and ordinate `x`."));
        table.add(Builtin.function(
                "where",
                "condition: tensor, x: operand, y: operand",
                "`x` where the bool `condition` is true, else `y`; broadcasts.",
                ElementwiseFunctions::where));
        table.add(Builtin.function(
                "clamp",
                "x: tensor, min: float = none, max: float = none",
                "Cuts off below `min` and above `max`.",
                (args, out) -> tensor(out.apply(
                        new Clamp(
                                args.isGiven("min") ? args.real("min") : Double.NEGATIVE_INFINITY,
                                args.isGiven("max") ? args.real("max") : Double.POSITIVE_INFINITY),
                        args.tensor("x")))));
        table.add(Builtin.function(
                "stop_gradient",
                "x: tensor",
                "`x` as a constant: nothing is differentiated by it. Costs nothing.",
                (args, out) -> tensor(out.apply(new StopGradient(), args.tensor("x")))));
        table.add(Builtin.function(
                "cast",
                "x: tensor, dtype: dtype",
                "The same numbers in another dtype: `f32`, `bf16`, `f16`, `i32`, `i64`, `bool`.",
                (args, out) -> tensor(out.cast(args.tensor("x"), args.dtype("dtype")))));
        return table;
    }

    private static Builtin unary(String name, Unary.Kind kind, String summary) {
        return Builtin.function(name, "x: tensor", summary, (args, out) -> tensor(out.unary(kind, args.tensor("x"))));
    }

    private static Builtin operator(String name, Binary.Kind kind, String summary) {
        return Builtin.function(name, "x: operand, y: operand", summary, (args, out) -> {
            Datum x = args.any("x");
            Datum y = args.any("y");
            if (!Numbers.isNumber(x) || !Numbers.isNumber(y)) {
                return tensor(kind == Binary.Kind.POW ? Tensors.power(x, y, out) : Tensors.binary(kind, x, y, out));
            }
            return switch (kind) {
                case ADD -> Numbers.add(x, y);
                case SUB -> Numbers.subtract(x, y);
                case MUL -> Numbers.multiply(x, y);
                case DIV -> Numbers.divide(x, y);
                case POW -> Numbers.power(x, y);
                case MIN -> Numbers.compare(x, y) <= 0 ? x : y;
                case MAX -> Numbers.compare(x, y) >= 0 ? x : y;
                case FLOORDIV -> Numbers.floorDivide(x, y);
                case REMAINDER -> Numbers.remainder(x, y);
                case FMOD -> Numbers.truncatedRemainder(x, y);
                case ATAN2 -> new Datum.FloatValue(Math.atan2(Numbers.real(x), Numbers.real(y)));
                case AND, OR -> throw new IllegalStateException("no numbers");
            };
        });
    }

    private static Datum where(Arguments args, Emission out) {
        ValueId condition = args.tensor("condition");
        List<Datum> branches = List.of(args.any("x"), args.any("y"));
        TensorType common = out.type(condition).with(DType.F32);
        for (Datum branch : branches) {
            if (branch instanceof Datum.Tensor tensor) {
                TensorType type = out.type(tensor.id());
                common = type.with(Tensors.joint("where", common, type));
            }
        }
        TensorType shared = common;
        List<ValueId> values = branches.stream()
                .map(branch -> branch instanceof Datum.Tensor tensor
                        ? out.expand(tensor.id(), shared.shape())
                        : Tensors.constant(branch, shared, out))
                .toList();
        return tensor(out.select(out.expand(condition, common.shape()), values.get(0), values.get(1)));
    }

    private static Unary.Kind gelu(String approximate) {
        return switch (approximate) {
            case "none" -> Unary.Kind.GELU;
            case "tanh" -> Unary.Kind.GELU_TANH;
            default ->
                throw new SemanticError("E0306", "approximate is \"none\" or \"tanh\", not \"" + approximate + "\"");
        };
    }

    public static Datum tensor(ValueId id) {
        return new Datum.Tensor(id);
    }
}
