package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Rule;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.function.BinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What operators make of operands that are known: above all shapes, whose extents may be symbols. Empty where the
 * result is not known, and then it is an expression of the text.
 */
final class Fold {
    /** Elements of a result. */
    static final long MOST = 1 << 17;

    /** Elements of a result that is larger than its operands. */
    static final long MOST_GROWN = 1 << 13;

    /** Operators that only move elements, by which weights are put together for others. */
    private static final List<String> MOVING =
            List.of("Slice", "Concat", "Unsqueeze", "Squeeze", "Reshape", "Transpose", "Identity");

    private static final SequencedMap<String, Function<Use, Optional<Constant>>> RULES = rules();

    private Fold() {}

    /** @param use all operands of which are constants */
    static Optional<Tensor> run(Use use) {
        Function<Use, Optional<Constant>> rule = RULES.get(use.node().operator());
        boolean isKnown =
                rule != null && !use.all().isEmpty() && use.all().stream().allMatch(Tensor::isFoldable);
        return isKnown ? rule.apply(use).map(Tensor::of) : Optional.empty();
    }

    /** Known numbers as an expression of what their operands follow from, where one of these does. */
    static Tensor byFormula(Use use, Tensor known, Rule rule) {
        boolean isListed = use.all().stream()
                        .allMatch(operand -> operand.formula().isEmpty())
                || !known.dtype().isFloat()
                || known.constant().filter(numbers -> numbers.size() > 1).isEmpty();
        if (isListed) {
            return known;
        }
        List<Optional<Tensor>> written = use.operands().stream()
                .map(operand -> operand.map(Tensor::asWritten))
                .toList();
        Tensor result = rule.write(new Use(use.node(), use.opset(), written, use.out(), use.inline()))
                .getFirst();
        return result.spelling().isPresent()
                ? known.by(use.out().let(result).spelling().orElseThrow())
                : known;
    }

    /** The result of moving weights with its numbers beside it, for operators that need to know them. */
    static List<Tensor> remembering(Use use, List<Tensor> results) {
        boolean moves = MOVING.contains(use.node().operator())
                && use.node().domain().isEmpty()
                && results.size() == 1
                && results.getFirst().spelling().isPresent()
                && use.all().stream().allMatch(Tensor::isConstant);
        if (!moves) {
            return results;
        }
        Tensor result = results.getFirst();
        List<Optional<Tensor>> alone = use.operands().stream()
                .map(operand -> operand.map(each -> Tensor.of(each.constant().orElseThrow())))
                .toList();
        Use known = new Use(use.node(), use.opset(), alone, use.out(), use.inline());
        return List.of(new Tensor(
                result.type(),
                result.spelling(),
                RULES.get(use.node().operator()).apply(known),
                Optional.empty()));
    }

    private static SequencedMap<String, Function<Use, Optional<Constant>>> rules() {
        SequencedMap<String, Function<Use, Optional<Constant>>> rules = new LinkedHashMap<>();
        rules.put("Add", use -> arithmetic(use, Dim::plus, Double::sum));
        rules.put("Sub", use -> arithmetic(use, Dim::minus, (a, b) -> a - b));
        rules.put("Mul", use -> arithmetic(use, Dim::times, (a, b) -> a * b));
        rules.put("Div", use -> arithmetic(use, Fold::quotient, (a, b) -> a / b));
        rules.put("Min", use -> arithmetic(use, (a, b) -> chosen(a, b, false), Math::min));
        rules.put("Max", use -> arithmetic(use, (a, b) -> chosen(a, b, true), Math::max));
        rules.put("Mod", use -> arithmetic(use, Fold::remainder, (a, b) -> null));
        rules.put("Pow", use -> arithmetic(use, (a, b) -> null, Math::pow));
        rules.put("Equal", use -> compared(use, sign -> sign == 0));
        rules.put("Less", use -> compared(use, sign -> sign < 0));
        rules.put("LessOrEqual", use -> compared(use, sign -> sign <= 0));
        rules.put("Greater", use -> compared(use, sign -> sign > 0));
        rules.put("GreaterOrEqual", use -> compared(use, sign -> sign >= 0));
        rules.put("And", use -> arithmetic(use, Dim::times, (a, b) -> null));
        rules.put("Or", use -> arithmetic(use, (a, b) -> a.is(0) && b.is(0) ? Dim.ZERO : Dim.ONE, (a, b) -> null));
        rules.put(
                "Not",
                use -> Optional.of(Constant.integers(
                        DType.BOOL,
                        use.known(0).shape(),
                        use.known(0).integers().stream()
                                .map(bit -> bit.is(0) ? Dim.ONE : Dim.ZERO)
                                .toList())));
        rules.put("Neg", use -> unary(use, value -> value.times(-1), value -> -value));
        rules.put(
                "Abs",
                use -> unary(use, value -> value.isConstant() ? Dim.of(Math.abs(value.value())) : null, Math::abs));
        rules.put("Sqrt", use -> unary(use, value -> null, Math::sqrt));
        rules.put("Reciprocal", use -> unary(use, value -> null, value -> 1 / value));
        rules.put("Floor", use -> unary(use, value -> value, Math::floor));
        rules.put("Ceil", use -> unary(use, value -> value, Math::ceil));
        rules.put("Identity", use -> Optional.of(use.known(0)));
        rules.put("Cast", use -> casted(use));
        rules.put("Where", FoldParts::where);
        rules.put("Gather", FoldParts::gather);
        rules.put("Slice", FoldParts::slice);
        rules.put("Concat", FoldParts::concat);
        rules.put("Reshape", FoldParts::reshape);
        rules.put("Squeeze", FoldParts::reshape);
        rules.put("Unsqueeze", FoldParts::reshape);
        rules.put("Flatten", FoldParts::reshape);
        rules.put("Transpose", FoldParts::transpose);
        rules.put("Expand", FoldParts::expand);
        rules.put("Tile", FoldParts::tile);
        rules.put("ReduceProd", use -> FoldParts.reduce(use, Dim::times));
        rules.put("ReduceSum", use -> FoldParts.reduce(use, Dim::plus));
        rules.put("ReduceMax", use -> FoldParts.reduce(use, (a, b) -> chosen(a, b, true)));
        rules.put("ReduceMin", use -> FoldParts.reduce(use, (a, b) -> chosen(a, b, false)));
        return rules;
    }

    /** Rounds towards 0, as far as it is known what that is. */
    private static Dim quotient(Dim a, Dim b) {
        if (!b.isConstant()) {
            return a.divideExact(b).orElse(null);
        }
        if (b.is(0)) {
            return null;
        }
        if (a.isConstant()) {
            return Dim.of(a.value() / b.value());
        }
        return b.value() > 0 ? a.floorDiv(b.value()) : null;
    }

    private static Dim remainder(Dim a, Dim b) {
        return a.isConstant() && b.isConstant() && !b.is(0)
                ? Dim.of(Math.floorMod(a.value(), b.value()))
                : b.isConstant() && b.value() > 0
                        ? a.minus(a.floorDiv(b.value()).times(b))
                        : null;
    }

    /** The larger or smaller one, if that is known: extents are at least 1. */
    private static Dim chosen(Dim a, Dim b, boolean larger) {
        Dim difference = a.minus(b);
        if (difference.isConstant()) {
            return difference.value() > 0 == larger ? a : b;
        }
        Dim extent = a.isConstant() ? b : a;
        Dim number = a.isConstant() ? a : b;
        boolean isLeast = number.isConstant() && number.value() <= (Symbols.isSymbol(extent) ? 1 : 0);
        return isLeast ? larger ? extent : number : null;
    }

    private static Optional<Constant> casted(Use use) {
        DType to = ElementwiseOperators.dtype(use, "to");
        Constant from = use.known(0);
        return to.isFloat() && !from.isNumeric() ? Optional.empty() : Optional.of(from.cast(to));
    }

    private static Optional<Constant> unary(Use use, Function<Dim, Dim> integers, DoubleUnaryOperator reals) {
        Constant x = use.known(0);
        if (x.dtype().isFloat()) {
            return Optional.of(x.map(reals));
        }
        List<Dim> results = x.integers().stream().map(integers).toList();
        return results.contains(null)
                ? Optional.empty()
                : Optional.of(Constant.integers(x.dtype(), x.shape(), results));
    }

    private static Optional<Constant> arithmetic(Use use, BinaryOperator<Dim> integers, BinaryOperator<Double> reals) {
        List<Tensor> operands = use.all();
        Constant result = operands.getFirst().constant().orElseThrow();
        for (Tensor operand : operands.subList(1, operands.size())) {
            Optional<Constant> next = arithmetic(result, operand.constant().orElseThrow(), integers, reals);
            if (next.isEmpty()) {
                return next;
            }
            result = next.get();
        }
        return Optional.of(result);
    }

    private static Optional<Constant> arithmetic(
            Constant a, Constant b, BinaryOperator<Dim> integers, BinaryOperator<Double> reals) {
        Optional<List<Long>> shape = FoldParts.repeated(a.shape(), b.shape());
        if (shape.isEmpty() || a.dtype() != b.dtype()) {
            return Optional.empty();
        }
        List<Integer> ofA = FoldParts.places(a.shape(), shape.get());
        List<Integer> ofB = FoldParts.places(b.shape(), shape.get());
        if (a.dtype().isFloat()) {
            List<Double> results = new ArrayList<>();
            for (int i = 0; i < ofA.size(); i++) {
                Double value = reals.apply(a.reals().get(ofA.get(i)), b.reals().get(ofB.get(i)));
                if (value == null) {
                    return Optional.empty();
                }
                results.add(Constant.rounded(a.dtype(), value));
            }
            return Optional.of(Constant.reals(a.dtype(), shape.get(), results));
        }
        List<Dim> results = new ArrayList<>();
        for (int i = 0; i < ofA.size(); i++) {
            Dim value =
                    integers.apply(a.integers().get(ofA.get(i)), b.integers().get(ofB.get(i)));
            if (value == null) {
                return Optional.empty();
            }
            results.add(value);
        }
        return Optional.of(Constant.integers(a.dtype(), shape.get(), results));
    }

    private static Optional<Constant> compared(Use use, Function<Integer, Boolean> holds) {
        Constant a = use.known(0);
        Constant b = use.known(1);
        Optional<List<Long>> shape = FoldParts.repeated(a.shape(), b.shape());
        if (shape.isEmpty()) {
            return Optional.empty();
        }
        List<Integer> ofA = FoldParts.places(a.shape(), shape.get());
        List<Integer> ofB = FoldParts.places(b.shape(), shape.get());
        List<Dim> results = new ArrayList<>();
        for (int i : IntStream.range(0, ofA.size()).toArray()) {
            OptionalInt sign = a.dtype().isFloat()
                    ? OptionalInt.of(
                            Double.compare(a.reals().get(ofA.get(i)), b.reals().get(ofB.get(i))))
                    : sign(a.integers().get(ofA.get(i)), b.integers().get(ofB.get(i)));
            if (sign.isEmpty()) {
                return Optional.empty();
            }
            results.add(holds.apply(sign.getAsInt()) ? Dim.ONE : Dim.ZERO);
        }
        return Optional.of(Constant.integers(DType.BOOL, shape.get(), results));
    }

    /** Whether a is more than b, as far as that is known. */
    private static OptionalInt sign(Dim a, Dim b) {
        Dim difference = a.minus(b);
        if (difference.isConstant()) {
            return OptionalInt.of(Long.signum(difference.value()));
        }
        boolean isMore = Symbols.isSymbol(a) && b.isConstant() && b.value() < 1;
        return isMore ? OptionalInt.of(1) : OptionalInt.empty();
    }
}
