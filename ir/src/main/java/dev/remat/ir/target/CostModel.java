package dev.remat.ir.target;

import java.util.Optional;
import java.util.OptionalDouble;

/** Time that planning charges for work. */
public interface CostModel {
    /** Names the model in reports: {@code unit}, {@code roofline:cpu}, {@code profile:costs.json}. */
    String name();

    /** Cost of a fused kernel: nanoseconds, or abstract units, at least 1. */
    long cost(KernelWork work);

    /** Whether costs are nanoseconds. */
    default boolean isTime() {
        return true;
    }

    /** A sum of costs in milliseconds; empty where costs are no times. */
    default OptionalDouble millis(long cost) {
        return isTime() ? OptionalDouble.of(cost / 1e6) : OptionalDouble.empty();
    }

    /** What a file must hold so that the same is charged; empty where the name says all. */
    default Optional<CostFile> file() {
        return Optional.empty();
    }
}
