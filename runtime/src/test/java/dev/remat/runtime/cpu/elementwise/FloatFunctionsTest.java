package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Instruction;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Scratch;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FloatFunctionsTest {
    private static final int N = 1000;
    private static final Map<Primitive, DoubleUnaryOperator> REFERENCE = Map.of(
            Primitive.EXP,
            StrictMath::exp,
            Primitive.LOG,
            StrictMath::log,
            Primitive.TANH,
            StrictMath::tanh,
            Primitive.SIGMOID,
            x -> 1 / (1 + StrictMath.exp(-x)),
            Primitive.SILU,
            x -> x / (1 + StrictMath.exp(-x)),
            Primitive.SOFTPLUS,
            x -> x > 0 ? x + StrictMath.log1p(StrictMath.exp(-x)) : StrictMath.log1p(StrictMath.exp(x)),
            Primitive.RSQRT,
            x -> 1 / StrictMath.sqrt(x),
            Primitive.ERF,
            FloatFunctionsTest::erfBySimpson);

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
    @EnumSource(names = {"EXP", "LOG", "TANH", "SIGMOID", "SILU", "SOFTPLUS", "RSQRT", "ERF"})
    void isWithinOneUnitInTheLastPlace(Primitive primitive) {
        float[] in = inputs(primitive == Primitive.LOG || primitive == Primitive.RSQRT);
        float[] out = apply(primitive, in);
        for (int i = 0; i < N; i++) {
            if (primitive == Primitive.ERF && Math.abs(in[i]) > 5) {
                assertThat(out[i]).isEqualTo(Math.signum(in[i]));
                continue;
            }
            double exact = REFERENCE.get(primitive).applyAsDouble(in[i]);
            float nearest = (float) exact;
            if (Float.isInfinite(nearest)) {
                assertThat(out[i]).isEqualTo(nearest);
            } else {
                assertThat(Math.abs(out[i] - exact))
                        .as("%s(%s)", primitive, in[i])
                        .isLessThanOrEqualTo(Math.ulp(nearest));
            }
        }
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

    @Test
    void handlesSpecialValues() {
        float inf = Float.POSITIVE_INFINITY;
        float[] special = {0f, -0f, inf, -inf, Float.NaN, -1f};
        assertThat(apply(Primitive.EXP, special)).containsExactly(1f, 1f, inf, 0f, Float.NaN, (float) (1 / Math.E));
        assertThat(apply(Primitive.LOG, special)).containsExactly(-inf, -inf, inf, Float.NaN, Float.NaN, Float.NaN);
        assertThat(apply(Primitive.TANH, special))
                .usingElementComparator((a, b) -> a.floatValue() == b.floatValue() || a.isNaN() && b.isNaN() ? 0 : 1)
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
