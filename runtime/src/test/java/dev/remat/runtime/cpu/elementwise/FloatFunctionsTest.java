package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Instruction;
import dev.remat.runtime.cpu.support.FloatFunctions;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Scratch;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FloatFunctionsTest {
    private static final int N = 1000;
    private static final Map<Primitive, DoubleUnaryOperator> REFERENCE = Map.ofEntries(
            Map.entry(Primitive.EXP, StrictMath::exp),
            Map.entry(Primitive.LOG, StrictMath::log),
            Map.entry(Primitive.TANH, StrictMath::tanh),
            Map.entry(Primitive.SIGMOID, x -> 1 / (1 + StrictMath.exp(-x))),
            Map.entry(Primitive.SILU, x -> x / (1 + StrictMath.exp(-x))),
            Map.entry(
                    Primitive.SOFTPLUS,
                    x -> x > 0 ? x + StrictMath.log1p(StrictMath.exp(-x)) : StrictMath.log1p(StrictMath.exp(x))),
            Map.entry(Primitive.RSQRT, x -> 1 / StrictMath.sqrt(x)),
            Map.entry(Primitive.ERF, FloatFunctionsTest::erfBySimpson),
            Map.entry(Primitive.EXPM1, StrictMath::expm1),
            Map.entry(Primitive.EXP2, x -> StrictMath.pow(2, x)),
            Map.entry(Primitive.LOG1P, StrictMath::log1p),
            Map.entry(Primitive.LOG2, x -> StrictMath.log(x) / StrictMath.log(2)),
            Map.entry(Primitive.LOG10, StrictMath::log10),
            Map.entry(Primitive.SIN, StrictMath::sin),
            Map.entry(Primitive.COS, StrictMath::cos),
            Map.entry(Primitive.TAN, StrictMath::tan),
            Map.entry(Primitive.ASIN, StrictMath::asin),
            Map.entry(Primitive.ACOS, StrictMath::acos),
            Map.entry(Primitive.ATAN, StrictMath::atan),
            Map.entry(Primitive.SINH, StrictMath::sinh),
            Map.entry(Primitive.COSH, StrictMath::cosh),
            Map.entry(
                    Primitive.ASINH,
                    x -> Math.signum(x) * StrictMath.log1p(Math.abs(x) + x * x / (1 + Math.sqrt(1 + x * x)))),
            Map.entry(Primitive.ACOSH, x -> StrictMath.log(x + Math.sqrt(x - 1) * Math.sqrt(x + 1))),
            Map.entry(Primitive.ATANH, x -> (StrictMath.log1p(x) - StrictMath.log1p(-x)) / 2));

    /** ∫ of the density by Simpson's rule, fine enough for 12 digits. */
    private static double erfBySimpson(double x) {
        int steps = 2000;
        double h = x / steps;
        double sum = 1 + Math.exp(-x * x);
        for (int i = 1; i < steps; i++) {
            double t = i * h;
            sum += (i % 2 == 0 ? 2 : 4) * Math.exp(-t * t);
        }
        return 2 / Math.sqrt(Math.PI) * sum * h / 3;
    }

    private static float[] apply(Primitive primitive, float[] values) {
        Scratch scratch = new Scratch(0);
        scratch.registers.ensure(2, 0, 0);
        System.arraycopy(values, 0, scratch.registers.floats[0], 0, values.length);
        Instruction instruction = new Instruction(primitive, DType.F32, List.of(0), 0.25, 2);
        new EltwiseStep(instruction, DType.F32, 1, 0, -1, -1).run(scratch.registers, RandomBits.NONE, values.length);
        return Arrays.copyOf(scratch.registers.floats[1], values.length);
    }

    private static float[] inputs(boolean positive) {
        float[] values = new float[N];
        for (int i = 0; i < N; i++) {
            float size = (float) Math.pow(10, -8 + 10.0 * i / N);
            values[i] = positive || i % 2 == 0 ? size : -size;
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | LOG SOFTPLUS RSQRT EXPM1 EXP2 LOG1P LOG2 LOG10 SIN COS TAN ASIN ACOS ATAN SINH COSH ASINH ACOSH"
                        + " ATANH",
                "2 | EXP",
                "3 | TANH SIGMOID SILU ERF"
            })
    void isWithinUnitsInTheLastPlace(int units, String primitives) {
        for (String name : primitives.split(" ")) {
            Primitive primitive = Primitive.valueOf(name);
            float[] in = inputs(primitive == Primitive.RSQRT);
            float[] out = apply(primitive, in);
            for (int i = 0; i < N; i++) {
                if (primitive == Primitive.ERF && Math.abs(in[i]) > 5) {
                    assertThat(out[i]).isEqualTo(Math.signum(in[i]));
                    continue;
                }
                double exact = REFERENCE.get(primitive).applyAsDouble(in[i]);
                float nearest = (float) exact;
                if (!Float.isFinite(nearest)) {
                    assertThat(Float.compare(out[i], nearest)).isZero();
                } else {
                    assertThat(Math.abs(out[i] - exact))
                            .as("%s(%s)", primitive, in[i])
                            .isLessThanOrEqualTo(units * Math.ulp(nearest) + (units == 1 ? 0 : 1e-36));
                }
            }
        }
    }

    /** Numbers of every exponent and both signs, close to each other where functions bend. */
    private static float[] everyExponent() {
        int finest = 128;
        float[] points = new float[2 * 277 * finest];
        int count = 0;
        for (int exponent = -149; exponent <= 127; exponent++) {
            int mantissas = exponent < -12 || exponent > 7 ? 4 : finest;
            for (int i = 0; i < mantissas; i++) {
                points[count] = Math.scalb(1 + (i + 0.37f) / mantissas, exponent);
                points[count + 1] = -points[count];
                count += 2;
            }
        }
        return Arrays.copyOf(points, count);
    }

    /** Below the normal floats anything as small may stand; the argument of an exponential is rounded, too. */
    private static void holds(
            String name, Consumer<float[][]> function, DoubleUnaryOperator exact, DoubleUnaryOperator argument) {
        float[] points = everyExponent();
        for (int begin = 0; begin < points.length; begin += Scratch.CHUNK) {
            float[] in = Arrays.copyOfRange(points, begin, Math.min(points.length, begin + Scratch.CHUNK));
            float[] out = new float[in.length];
            function.accept(new float[][] {in, out});
            for (int i = 0; i < in.length; i++) {
                double value = exact.applyAsDouble(in[i]);
                double units = 3 + 2 * Math.min(100, Math.abs(argument.applyAsDouble(in[i])));
                assertThat(Math.abs(Math.min(out[i], Float.MAX_VALUE) - value))
                        .as("%s(%s) is %s, not %s", name, in[i], out[i], value)
                        .isLessThanOrEqualTo(units * Math.ulp((float) value) + 1e-36);
            }
        }
    }

    @Test
    void activationsHoldAtEveryExponent() {
        FloatFunctions functions = new FloatFunctions();
        DoubleUnaryOperator none = x -> 0;
        holds("exp", f -> functions.exp(f[0], f[1], f[0].length), x -> x > 88.72 ? Float.MAX_VALUE : Math.exp(x), none);
        holds("tanh", f -> functions.tanh(f[0], f[1], f[0].length), Math::tanh, none);
        holds("sigmoid", f -> functions.sigmoid(f[0], f[1], f[0].length), FloatFunctionsTest::sigmoid, none);
        holds("silu", f -> functions.silu(f[0], f[1], f[0].length), x -> x * sigmoid(x), none);
        holds("gelu", f -> functions.gelu(f[0], f[1], f[0].length), x -> x * tail(-x), x -> x < -4 ? 4 : 0);
        holds(
                "gelu by tanh",
                f -> functions.geluTanh(f[0], f[1], f[0].length),
                x -> x * sigmoid(cubic(x)),
                FloatFunctionsTest::cubic);
    }

    /** A slope may be a difference of numbers near 1. */
    @Test
    void slopesHoldAtEveryExponent() {
        FloatFunctions functions = new FloatFunctions();
        float[] ones = new float[Scratch.CHUNK];
        Arrays.fill(ones, 1);
        float[] in = everyExponent();
        for (int begin = 0; begin < in.length; begin += Scratch.CHUNK) {
            int n = Math.min(in.length - begin, Scratch.CHUNK);
            float[] a = Arrays.copyOfRange(in, begin, begin + n);
            float[] out = new float[n];
            functions.geluGradient(ones, a, out, n);
            checkSlopes("gelu", a, out, x -> tail(-x) + x * density(x));
            functions.siluGradient(ones, a, out, n);
            checkSlopes("silu", a, out, x -> sigmoid(x) + x * sigmoid(x) * sigmoid(-x));
            functions.geluTanhGradient(ones, a, out, n);
            checkSlopes(
                    "gelu by tanh",
                    a,
                    out,
                    x -> Math.abs(x) > 20
                            ? sigmoid(x)
                            : sigmoid(cubic(x))
                                    + x
                                            * sigmoid(cubic(x))
                                            * sigmoid(-cubic(x))
                                            * (2 + 6 * 0.044715 * x * x)
                                            * Math.sqrt(2 / Math.PI));
            functions.softplusGradient(ones, a, out, n);
            checkSlopes("softplus", a, out, FloatFunctionsTest::sigmoid);
        }
    }

    private static void checkSlopes(String name, float[] in, float[] out, DoubleUnaryOperator exact) {
        for (int i = 0; i < in.length; i++) {
            double value = exact.applyAsDouble(in[i]);
            assertThat(Math.abs(out[i] - value))
                    .as("slope of %s at %s is %s, not %s", name, in[i], out[i], value)
                    .isLessThanOrEqualTo(2 * Math.ulp(1f));
        }
    }

    private static double sigmoid(double x) {
        return x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x));
    }

    private static double cubic(double x) {
        return 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
    }

    private static double density(double x) {
        return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    }

    /** How likely the standard Gaussian is above {@code x}: by its series near 0, by a continued fraction far out. */
    private static double tail(double x) {
        if (x < -3) {
            return 1 - tail(-x);
        }
        if (x < 3) {
            double term = x;
            double sum = x;
            for (int n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
                term *= x * x / (2 * n + 1);
                sum += term;
            }
            return 0.5 - density(x) * sum;
        }
        double fraction = 0;
        for (int n = 200; n > 0; n--) {
            fraction = n / (x + fraction);
        }
        return density(x) / (x + fraction);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "EXP",
                "LOG",
                "TANH",
                "SIGMOID",
                "SILU",
                "SOFTPLUS",
                "ERF",
                "EXPM1",
                "EXP2",
                "LOG1P",
                "LOG2",
                "LOG10",
                "SIN",
                "COS",
                "TAN",
                "ASIN",
                "ACOS",
                "ATAN",
                "SINH",
                "COSH",
                "ASINH",
                "ACOSH",
                "ATANH",
                "CEIL",
                "ROUND",
                "TRUNC",
                "RECIPROCAL",
                "GELU",
                "GELU_TANH",
                "SQRT",
                "RELU",
                "LEAKY_RELU",
                "CLAMP",
                "SIGN",
                "FLOOR"
            })
    void bitsDoNotChangeWithWarmthOrPosition(Primitive primitive) {
        float[] in = inputs(false);
        float[] cold = apply(primitive, in);
        for (int i = 0; i < 1500; i++) {
            apply(primitive, in);
        }
        assertThat(apply(primitive, in)).isEqualTo(cold);
        for (int i = 0; i < 40; i++) {
            float[] shifted = apply(primitive, Arrays.copyOfRange(in, i, i + 57));
            assertThat(shifted).isEqualTo(Arrays.copyOfRange(cold, i, i + 57));
        }
    }

    /** Angles up to the largest, among them those nearest to multiples of π/2. */
    @ParameterizedTest
    @EnumSource(names = {"SIN", "COS", "TAN"})
    void largeAnglesAreReducedExactly(Primitive primitive) {
        float[] in = new float[N];
        for (int i = 0; i < N; i++) {
            double size = i % 3 == 0 ? Math.rint(Math.pow(2, i / 50.0)) * (Math.PI / 2) : Math.pow(10, i * 38.5 / N);
            in[i] = (float) (i % 2 == 0 ? size : -size);
        }
        // The float whose distance from the multiples of π/2 is the least for its size (Muller, 1997).
        in[0] = 16367173f * 0x1p72f;
        float[] out = apply(primitive, in);
        for (int i = 0; i < N; i++) {
            double exact = REFERENCE.get(primitive).applyAsDouble(in[i]);
            assertThat(Math.abs(out[i] - exact)).as("%s(%s)", primitive, in[i]).isLessThanOrEqualTo(Math.ulp((float)
                    exact));
        }
    }

    @Test
    void roundsHalvesToTheEvenInteger() {
        float[] halves = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 0.49999997f, 8388609f, -0.2f};
        assertThat(apply(Primitive.ROUND, halves)).containsExactly(-2, -2, -0f, 0, 2, 2, 0, 8388609, -0f);
        assertThat(apply(Primitive.CEIL, halves)).containsExactly(-2, -1, -0f, 1, 2, 3, 1, 8388609, -0f);
        assertThat(apply(Primitive.TRUNC, halves)).containsExactly(-2, -1, -0f, 0, 1, 2, 0, 8388609, -0f);
    }

    @Test
    void inverseFunctionsEndWhereTheirDomainEnds() {
        float inf = Float.POSITIVE_INFINITY;
        float nan = Float.NaN;
        float[] special = {1, -1, 2, inf, -inf, nan};
        float quarter = (float) (Math.PI / 2);
        assertThat(apply(Primitive.ASIN, special)).containsExactly(quarter, -quarter, nan, nan, nan, nan);
        assertThat(apply(Primitive.ACOS, special)).containsExactly(0, (float) Math.PI, nan, nan, nan, nan);
        assertThat(apply(Primitive.ATANH, special)).containsExactly(inf, -inf, nan, nan, nan, nan);
        assertThat(apply(Primitive.ATAN, new float[] {inf, -inf, nan})).containsExactly(quarter, -quarter, nan);
        assertThat(apply(Primitive.ACOSH, new float[] {0.5f, 1, inf})).containsExactly(nan, 0, inf);
        assertThat(apply(Primitive.ASINH, new float[] {inf, -inf, -0f})).containsExactly(inf, -inf, -0f);
        assertThat(apply(Primitive.LOG1P, new float[] {-1, -2, inf, -0f})).containsExactly(-inf, nan, inf, -0f);
        assertThat(apply(Primitive.SIN, new float[] {inf, -0f, nan})).containsExactly(nan, -0f, nan);
        assertThat(apply(Primitive.SINH, new float[] {inf, -inf, -0f})).containsExactly(inf, -inf, -0f);
        assertThat(apply(Primitive.EXPM1, new float[] {inf, -inf, 0})).containsExactly(inf, -1, 0);
        assertThat(apply(Primitive.LOG2, new float[] {8, 0.5f, 0})).containsExactly(3, -1, -inf);
        assertThat(apply(Primitive.EXP2, new float[] {-3, 10, 128})).containsExactly(0.125f, 1024, inf);
    }

    @Test
    void handlesSpecialValues() {
        float inf = Float.POSITIVE_INFINITY;
        float[] special = {0f, -0f, inf, -inf, Float.NaN, -1f};
        assertThat(apply(Primitive.EXP, special)).containsExactly(1f, 1f, inf, 0f, Float.NaN, (float) (1 / Math.E));
        assertThat(apply(Primitive.LOG, special)).containsExactly(-inf, -inf, inf, Float.NaN, Float.NaN, Float.NaN);
        assertThat(apply(Primitive.TANH, special))
                .usingElementComparator((a, b) -> Math.abs(a - b) <= Math.ulp(b) || a.isNaN() && b.isNaN() ? 0 : 1)
                .containsExactly(0f, 0f, 1f, -1f, Float.NaN, (float) Math.tanh(-1));
        assertThat(apply(Primitive.RELU, special)).containsExactly(0f, 0f, inf, 0f, Float.NaN, 0f);
        assertThat(apply(Primitive.GELU, new float[] {-100, 100})).containsExactly(-0f, 100f);
    }

    @Test
    void gradientsAgreeWithDifferences() {
        for (Primitive[] pair : new Primitive[][] {
            {Primitive.GELU, Primitive.GELU_GRAD},
            {Primitive.GELU_TANH, Primitive.GELU_TANH_GRAD},
            {Primitive.SILU, Primitive.SILU_GRAD},
            {Primitive.SOFTPLUS, Primitive.SOFTPLUS_GRAD}
        }) {
            Instruction value = new Instruction(pair[0], DType.F64, List.of(0), 0, 0);
            Scratch scratch = new Scratch(0);
            scratch.registers.ensure(3, 0, 0);
            Instruction gradient = new Instruction(pair[1], DType.F32, List.of(0, 1), 0, 0);
            EltwiseStep step = new EltwiseStep(gradient, DType.F32, 2, 0, 1, -1);
            for (double x = -4; x < 4; x += 0.3) {
                double h = 1e-6;
                double slope = (DoubleFunctions.unary(value, x + h) - DoubleFunctions.unary(value, x - h)) / (2 * h);
                assertThat(DoubleFunctions.binary(pair[1], 3, x))
                        .isCloseTo(3 * slope, org.assertj.core.api.Assertions.within(1e-8));
                scratch.registers.floats[0][0] = 3;
                scratch.registers.floats[1][0] = (float) x;
                step.run(scratch.registers, RandomBits.NONE, 1);
                assertThat((double) scratch.registers.floats[2][0])
                        .isCloseTo(3 * slope, org.assertj.core.api.Assertions.within(1e-5));
            }
        }
    }
}
