package dev.remat.runtime.io;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Random samples that depend on their number alone: 1,024 to train on, 128 held back. Floats are uniform with mean 0
 * and variance 1 unless a range is given, integers uniform below their column's bound (below 2 where none is known).
 * There is nothing to learn in them but themselves.
 */
public final class SyntheticDataset implements Dataset {
    private static final long TRAINING_SAMPLES = 1024;
    private static final long HELD_BACK_SAMPLES = 128;

    private final Map<String, FloatRange> ranges;

    public SyntheticDataset() {
        this(Map.of());
    }

    /** @param ranges of floats by input */
    public SyntheticDataset(Map<String, FloatRange> ranges) {
        this.ranges = new TreeMap<>(ranges);
    }

    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        return switch (share) {
            case TRAINING -> new Drawn(ranges, 0, TRAINING_SAMPLES);
            case HELD_BACK -> new Drawn(ranges, TRAINING_SAMPLES, HELD_BACK_SAMPLES);
            case ALL -> new Drawn(ranges, 0, TRAINING_SAMPLES + HELD_BACK_SAMPLES);
        };
    }

    @Override
    public SortedMap<String, String> identity() {
        SortedMap<String, String> identity = new TreeMap<>(Map.of("kind", "synthetic"));
        ranges.forEach((input, range) -> identity.put("range of " + input, range.low() + ".." + range.high()));
        return identity;
    }

    @Override
    public void close() {}

    private record Drawn(Map<String, FloatRange> ranges, long first, long count) implements Samples {
        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            long elements = input.columns();
            long key = Mixing.mix(nameKey(input.name()) + first + sample);
            FloatRange range = ranges.getOrDefault(input.name(), FloatRange.STANDARD);
            for (long i = 0; i < elements; i++) {
                ElementConversion.put(
                        value(input, i, range, Mixing.mix(key + i)),
                        input.dtype(),
                        target,
                        offset + i * input.dtype().bytes());
            }
        }

        private static long nameKey(String name) {
            long key = 0;
            for (int i = 0; i < name.length(); i++) {
                key = Mixing.mix(key ^ name.charAt(i));
            }
            return key;
        }

        /** Bounds are extents of tensors in memory, so that a double holds what lies below them. */
        private static double value(InputSpec input, long column, FloatRange range, long random) {
            IndexRange indices = input.range(column);
            long bound = indices.isKnown() ? indices.bound() : 2;
            return switch (input.dtype()) {
                case F64, F32, F16, BF16 -> range.at((random >>> 40) * 0x1p-23 - 1.0);
                case I32, I64 -> Long.remainderUnsigned(random, bound);
                case BOOL -> random >>> 63;
                case BIT, SEED -> throw new IllegalArgumentException("no input is a " + input.dtype());
            };
        }
    }
}
