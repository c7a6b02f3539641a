package dev.remat.tests.ptx;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * What stands for {@code ex2.approx.ftz.f32}, whose last bits the manual leaves open: the C library's function, as in
 * the tests' model of a GPU.
 */
final class PowerOfTwo {
    private static final MethodHandle EXP2F = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("exp2f").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_FLOAT, ValueLayout.JAVA_FLOAT));

    private PowerOfTwo() {}

    static float approximate(float x) {
        try {
            float y = (float) EXP2F.invokeExact(x);
            return Math.abs(y) < Float.MIN_NORMAL ? 0 : y;
        } catch (Throwable thrown) {
            throw new IllegalStateException("exp2f of " + x, thrown);
        }
    }
}
