package dev.remat.runtime.io;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Samples put together, as many as an input's first extent says.
 *
 * @param order the sample at every position of the endless sequence of rows
 */
public record Batches(List<InputSpec> inputs, Samples samples, LongUnaryOperator order) implements BatchSource {
    public Batches {
        inputs = List.copyOf(inputs);
    }

    /** The samples in their order from one on; it ends where they end. */
    public static Batches from(long first, List<InputSpec> inputs, Samples samples) {
        return new Batches(inputs, samples, position -> first + position);
    }

    @Override
    public long batchesPerEpoch() {
        return Math.ceilDiv(
                samples.count(), inputs.isEmpty() ? 1 : inputs.getFirst().rows());
    }

    @Override
    public void fill(long step, InputSpec input, MemorySegment target) {
        long rows = input.rows();
        long rowBytes = input.elements() / rows * input.dtype().bytes();
        for (long row = 0; row < rows; row++) {
            long position = Math.addExact(Math.multiplyExact(step, rows), row);
            samples.copy(order.applyAsLong(position), input, target, row * rowBytes);
        }
        IntegerBound.check(input, target);
    }
}
