package dev.remat.tests.reference;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Table;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/** Elementwise operations by their definitions. */
record ElementwiseReference(Evaluation evaluation) {
    List<Tensor> apply(Elementwise op) {
        return switch (op) {
            case Unary u -> map(x -> unary(u.kind(), x));
            case UnaryGradient u -> zip((dy, x) -> dy * ScalarFunctions.slope(u.kind(), x));
            case LeakyRelu l -> map(x -> x > 0 ? x : l.slope() * x);
            case Clamp c -> map(x -> Math.min(Math.max(x, c.low()), c.high()));
            case Binary b -> zip((x, y) -> binary(b.kind(), x, y));
            case Compare c -> zip((x, y) -> compare(c.kind(), x, y) ? 1 : 0);
            case Select s -> List.of(select());
            case Cast c -> map(x -> cast(c, x));
            case Contiguous c -> map(x -> x);
            case Constant c -> List.of(Tensor.filled(c.type(), c.value()));
            case Iota i -> List.of(Tensor.generate(i.type(), at -> i.start() + i.step() * number(i.numbers(), at)));
            case Table t -> List.of(Tensor.generate(t.type(), at -> t.values().get((int) number(t.numbers(), at))));
            case Normalize n -> List.of(Normalizations.normalize(evaluation, n));
            case Draw d ->
                List.of(
                        drawn(d),
                        Tensor.of(TensorType.SEED, evaluation.operand(0).scalar() + 1));
            case Dropout d -> List.of(drop(d, d.p()), nextSeed());
            case DropoutGradient d -> List.of(drop(d, d.forward().p()));
        };
    }

    private List<Tensor> map(DoubleUnaryOperator function) {
        return List.of(evaluation.operand(0).map(evaluation.type(), function));
    }

    private List<Tensor> zip(DoubleBinaryOperator function) {
        return List.of(evaluation.operand(0).zip(evaluation.operand(1), evaluation.type(), function));
    }

    private static long number(IndexMap numbers, long[] at) {
        return numbers.offset()
                + IntStream.range(0, at.length)
                        .mapToLong(axis -> numbers.strides().get(axis) * at[axis])
                        .sum();
    }

    private static double unary(Unary.Kind kind, double x) {
        return switch (kind) {
            case NEG -> -x;
            case EXP -> Math.exp(x);
            case LOG -> Math.log(x);
            case SQRT -> Math.sqrt(x);
            case RSQRT -> 1 / Math.sqrt(x);
            case ABS -> Math.abs(x);
            case SIGN -> Math.signum(x);
            case RELU -> Math.max(x, 0);
            case GELU -> x * ScalarFunctions.gaussian(x);
            case GELU_TANH -> ScalarFunctions.geluTanh(x);
            case SILU -> x * ScalarFunctions.sigmoid(x);
            case SIGMOID -> ScalarFunctions.sigmoid(x);
            case TANH -> Math.tanh(x);
            case SOFTPLUS -> Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
            case FLOOR -> Math.floor(x);
            case NOT -> 1 - x;
            case CEIL -> Math.ceil(x);
            case ROUND -> Math.rint(x);
            case TRUNC -> x < 0 ? Math.ceil(x) : Math.floor(x);
            case RECIPROCAL -> 1 / x;
            case EXPM1 -> Math.expm1(x);
            case EXP2 -> Math.pow(2, x);
            case LOG1P -> Math.log1p(x);
            case LOG2 -> Math.log(x) / Math.log(2);
            case LOG10 -> Math.log10(x);
            case ERF -> 2 * ScalarFunctions.gaussian(Math.sqrt(2) * x) - 1;
            case SIN -> Math.sin(x);
            case COS -> Math.cos(x);
            case TAN -> Math.tan(x);
            case ASIN -> Math.asin(x);
            case ACOS -> Math.acos(x);
            case ATAN -> Math.atan(x);
            case SINH -> Math.sinh(x);
            case COSH -> Math.cosh(x);
            case ASINH -> Math.signum(x) * Math.log(Math.abs(x) + Math.sqrt(x * x + 1));
            case ACOSH -> Math.log(x + Math.sqrt(x - 1) * Math.sqrt(x + 1));
            case ATANH -> Math.log((1 + x) / (1 - x)) / 2;
        };
    }

    private static double binary(Binary.Kind kind, double a, double b) {
        return switch (kind) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case POW -> Math.pow(a, b);
            case AND -> a * b;
            case OR -> Math.max(a, b);
            case FLOORDIV -> Math.floor(a / b);
            case REMAINDER -> a - Math.floor(a / b) * b;
            case FMOD -> a % b;
            case ATAN2 -> Math.atan2(a, b);
        };
    }

    private static boolean compare(Compare.Kind kind, double a, double b) {
        return switch (kind) {
            case EQ -> a == b;
            case NE -> a != b;
            case LT -> a < b;
            case LE -> a <= b;
            case GT -> a > b;
            case GE -> a >= b;
        };
    }

    private static double cast(Cast cast, double x) {
        return switch (cast.dtype()) {
            case F32, BF16, F16, F64, SEED -> x;
            case I32, I64 -> x < 0 ? Math.ceil(x) : Math.floor(x);
            case BOOL, BIT -> x != 0 ? 1 : 0;
        };
    }

    private Tensor select() {
        double[] condition = evaluation.operand(0).data();
        double[] a = evaluation.operand(1).data();
        double[] b = evaluation.operand(2).data();
        double[] chosen = IntStream.range(0, a.length)
                .mapToDouble(i -> condition[i] != 0 ? a[i] : b[i])
                .toArray();
        return new Tensor(evaluation.type(), chosen);
    }

    private Tensor drop(Op op, double p) {
        double[] x = evaluation.operand(0).data();
        long ordinal = (long) evaluation.operand(1).scalar();
        double[] kept = IntStream.range(0, x.length)
                .mapToDouble(i -> {
                    long element = inBatch(op, i);
                    double uniform = Philox.uniform(evaluation.userSeed(), element, ordinal, evaluation.step());
                    return uniform >= p ? x[i] / (1 - p) : 0;
                })
                .toArray();
        return new Tensor(evaluation.type(), kept);
    }

    private Tensor drawn(Draw draw) {
        Tensor numbers = Tensor.zeros(draw.type());
        for (int at = 0; at < numbers.data().length; at++) {
            long i = inBatch(draw, at);
            numbers.data()[at] = switch (draw.kind()) {
                case UNIFORM -> {
                    long units = 1L << Draw.uniformBits(draw.type().dtype());
                    yield Math.floor(word(i) * 0x1p-32 * units) / units;
                }
                case NORMAL -> {
                    double radius = Math.sqrt(-2 * Math.log((word(i - i % 2) + 0.5) * 0x1p-32));
                    double angle = 2 * Math.PI * word(i - i % 2 + 1) * 0x1p-32;
                    yield radius * (i % 2 == 0 ? Math.cos(angle) : Math.sin(angle));
                }
                case INTEGER -> Math.floor(word(i) * 0x1p-32 * draw.bound());
            };
        }
        return numbers;
    }

    /** Number of an element in the whole batch, [runs, pieces, block], of which a piece is [runs, block]. */
    private long inBatch(Op op, int element) {
        if (op.drawnRows().isEmpty()) {
            return element;
        }
        DrawnRows rows = op.drawnRows().get();
        int block = Math.toIntExact(rows.block().value());
        int run = element / block;
        int piece = rows.piece().orElse(evaluation.microBatch());
        return ((long) run * rows.pieces() + piece) * block + element % block;
    }

    private long word(long element) {
        long ordinal = (long) evaluation.operands().getLast().scalar();
        return Philox.word(evaluation.userSeed(), element, ordinal, evaluation.step());
    }

    private Tensor nextSeed() {
        return Tensor.of(TensorType.SEED, evaluation.operand(1).scalar() + 1);
    }
}
