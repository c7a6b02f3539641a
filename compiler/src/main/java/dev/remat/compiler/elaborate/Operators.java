package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.BinaryOperator;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;

/** What operators mean, by what they are applied to: tensors, numbers, lists. */
final class Operators {
    private static final int LONGEST_LIST = 10_000;

    private Operators() {}

    static Datum negate(Datum x, Emission out) {
        return switch (x) {
            case Datum.Tensor tensor -> new Datum.Tensor(out.neg(tensor.id()));
            case Datum.IntValue number -> Numbers.negate(number);
            case Datum.FloatValue number -> Numbers.negate(number);
            case Datum other -> throw new SemanticError("E0302", "'-' does not apply to " + other.kind());
        };
    }

    static Datum not(Datum x, Emission out) {
        return switch (x) {
            case Datum.Tensor tensor -> new Datum.Tensor(out.unary(Unary.Kind.NOT, tensor.id()));
            case Datum.BoolValue flag -> new Datum.BoolValue(!flag.value());
            case Datum other -> throw new SemanticError("E0302", "'not' does not apply to " + other.kind());
        };
    }

    static Datum binary(BinaryOperator operator, Datum a, Datum b, Emission out) {
        boolean tensors = isOperand(a) && isOperand(b) && !(Numbers.isNumber(a) && Numbers.isNumber(b));
        if (tensors) {
            return tensor(operator, a, b, out);
        }
        if (Numbers.isNumber(a) && Numbers.isNumber(b)) {
            return number(operator, a, b);
        }
        if (operator == BinaryOperator.ADD && a instanceof Datum.ListValue x && b instanceof Datum.ListValue y) {
            return joined(x, y);
        }
        boolean comparable = a.getClass() == b.getClass() && isPlain(a) && isPlain(b);
        if (comparable && (operator == BinaryOperator.EQUAL || operator == BinaryOperator.UNEQUAL)) {
            return new Datum.BoolValue(a.equals(b) == (operator == BinaryOperator.EQUAL));
        }
        throw new SemanticError(
                "E0302", "'" + operator.sign() + "' does not apply to " + a.kind() + " and " + b.kind());
    }

    private static boolean isOperand(Datum datum) {
        return datum instanceof Datum.Tensor || Numbers.isNumber(datum);
    }

    private static boolean isPlain(Datum datum) {
        return datum instanceof Datum.StringValue
                || datum instanceof Datum.BoolValue
                || datum instanceof Datum.DTypeValue
                || datum instanceof Datum.ListValue items
                        && items.elements().stream().allMatch(e -> isPlain(e) || Numbers.isNumber(e));
    }

    private static Datum joined(Datum.ListValue x, Datum.ListValue y) {
        if (x.elements().size() + y.elements().size() > LONGEST_LIST) {
            throw new SemanticError("E0305", "a list has at most " + LONGEST_LIST + " elements");
        }
        List<Datum> all = new ArrayList<>(x.elements());
        all.addAll(y.elements());
        return new Datum.ListValue(all, x.isTuple() && y.isTuple());
    }

    private static Datum tensor(BinaryOperator operator, Datum a, Datum b, Emission out) {
        return new Datum.Tensor(
                switch (operator) {
                    case ADD -> Tensors.binary(Binary.Kind.ADD, a, b, out);
                    case SUBTRACT -> Tensors.binary(Binary.Kind.SUB, a, b, out);
                    case MULTIPLY -> Tensors.binary(Binary.Kind.MUL, a, b, out);
                    case DIVIDE -> Tensors.binary(Binary.Kind.DIV, a, b, out);
                    case POWER -> Tensors.power(a, b, out);
                    case AND -> Tensors.binary(Binary.Kind.AND, a, b, out);
                    case OR -> Tensors.binary(Binary.Kind.OR, a, b, out);
                    case EQUAL -> Tensors.compare(Compare.Kind.EQ, a, b, out);
                    case UNEQUAL -> Tensors.compare(Compare.Kind.NE, a, b, out);
                    case LESS -> Tensors.compare(Compare.Kind.LT, a, b, out);
                    case AT_MOST -> Tensors.compare(Compare.Kind.LE, a, b, out);
                    case GREATER -> Tensors.compare(Compare.Kind.GT, a, b, out);
                    case AT_LEAST -> Tensors.compare(Compare.Kind.GE, a, b, out);
                    case MATMUL -> {
                        if (!(a instanceof Datum.Tensor x) || !(b instanceof Datum.Tensor y)) {
                            throw new SemanticError("E0302", "'@' multiplies tensors", "'*' multiplies by a number");
                        }
                        yield Tensors.matmul(x.id(), y.id(), false, false, out);
                    }
                    case REMAINDER -> Tensors.binary(Binary.Kind.REMAINDER, a, b, out);
                });
    }

    private static Datum number(BinaryOperator operator, Datum a, Datum b) {
        return switch (operator) {
            case ADD -> Numbers.add(a, b);
            case SUBTRACT -> Numbers.subtract(a, b);
            case MULTIPLY -> Numbers.multiply(a, b);
            case DIVIDE -> Numbers.divide(a, b);
            case REMAINDER -> Numbers.remainder(a, b);
            case POWER -> Numbers.power(a, b);
            case EQUAL -> new Datum.BoolValue(equal(a, b));
            case UNEQUAL -> new Datum.BoolValue(!equal(a, b));
            case LESS -> new Datum.BoolValue(Numbers.compare(a, b) < 0);
            case AT_MOST -> new Datum.BoolValue(Numbers.compare(a, b) <= 0);
            case GREATER -> new Datum.BoolValue(Numbers.compare(a, b) > 0);
            case AT_LEAST -> new Datum.BoolValue(Numbers.compare(a, b) >= 0);
            case MATMUL, AND, OR ->
                throw new SemanticError("E0302", "'" + operator.sign() + "' does not apply to numbers");
        };
    }

    /** Extents that differ by a number are different whatever their symbols are. */
    private static boolean equal(Datum a, Datum b) {
        if (a instanceof Datum.IntValue x && b instanceof Datum.IntValue y) {
            Dim difference = x.value().minus(y.value());
            return difference.isConstant() ? difference.is(0) : Numbers.known(difference) == 0;
        }
        return Numbers.compare(a, b) == 0;
    }
}
