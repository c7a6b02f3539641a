package dev.remat.ir.target;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import java.util.List;
import java.util.function.Supplier;

/** Kernels count rows, columns and what they reduce in 32 bits, which a tensor within its own limits may exceed. */
public final class KernelLimit {
    private KernelLimit() {}

    /**
     * What {@code action} gives, which works out the shape of a kernel.
     *
     * @param target what the kernel runs on
     * @param what the tensor that the kernel makes
     * @throws ModelException if a number does not fit (E0305)
     */
    public static <T> T guard(String target, String what, Location location, Supplier<T> action) {
        try {
            return action.get();
        } catch (ArithmeticException e) {
            throw new ModelException(List.of(Diagnostic.error(
                    "E0305",
                    location,
                    "'" + what + "' takes more elements than a kernel of " + target + " can count",
                    "a kernel counts rows, columns and what it reduces up to " + Integer.MAX_VALUE)));
        }
    }
}
