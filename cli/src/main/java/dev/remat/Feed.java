package dev.remat;

import dev.remat.runtime.io.EpochOrder;
import dev.remat.runtime.io.InputSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * Brings the batches of a training or an evaluation, in the thread that runs it. A batch is a function of its number,
 * so that a resumed training goes on as one that never stopped. What a feed throws ends a training.
 */
@FunctionalInterface
public interface Feed {
    /**
     * What a model is fed under a name.
     *
     * @param type of the elements, such as {@code f32} or {@code i32}
     * @param shape the batch first
     */
    record Input(String name, String type, List<Long> shape) {
        public Input {
            shape = List.copyOf(shape);
        }

        static Input of(InputSpec input) {
            return new Input(input.name(), input.dtype().label(), input.shape());
        }

        /** How many samples of it a batch has. */
        public long rows() {
            return shape.isEmpty() ? 1 : shape.getFirst();
        }

        /** How many numbers a batch has of it. */
        public long elements() {
            return shape.stream().reduce(1L, Math::multiplyExact);
        }
    }

    /**
     * Writes one input of one batch.
     *
     * @param batch from 0; of a batch that is cut, each part counts
     * @param into exactly as long as the input, row-major and little-endian
     */
    void fill(long batch, Input input, MemorySegment into);

    /**
     * Samples in arrays, in their order and again from the first.
     *
     * @param count of the samples, at least 1
     * @param samples for each input by name a {@code float[]}, {@code double[]}, {@code int[]} or {@code long[]},
     *     sample after sample
     * @throws IllegalArgumentException if something else is there
     */
    static Feed inOrder(int count, Map<String, ?> samples) {
        return new ArrayFeed(count, samples, position -> position % count);
    }

    /** The same in a new order each time that all had their turn; the orders are a function of the seed. */
    static Feed shuffled(int count, Map<String, ?> samples, long seed) {
        return new ArrayFeed(count, samples, new EpochOrder(seed, count)::sampleAt);
    }
}
