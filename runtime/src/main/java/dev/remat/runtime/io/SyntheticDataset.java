package dev.remat.runtime.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Random samples that depend on their number alone: 1,024 to train on, 128 held back. Floats are uniform with mean 0
 * and variance 1 unless a range is given, integers uniform below the input's bound (below 2 where none is known).
 * There is nothing to learn in them but themselves.
 */
public final class SyntheticDataset implements Dataset {
    private static final long TRAINING_SAMPLES = 1024;
    private static final long HELD_BACK_SAMPLES = 128;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Map<String, FloatRange> ranges;

    public SyntheticDataset() {
        this(Map.of());
    }

    /** @param ranges of floats by input */
    public SyntheticDataset(Map<String, FloatRange> ranges) {
        this.ranges = new TreeMap<>(ranges);
    }

    /** @throws DataException if there is a range of what is no input of floats */
    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        if (share != Share.HELD_BACK) {
            checkRanges(inputs);
        }
        return switch (share) {
            case TRAINING -> new Drawn(ranges, 0, TRAINING_SAMPLES);
            case HELD_BACK -> new Drawn(ranges, TRAINING_SAMPLES, HELD_BACK_SAMPLES);
            case ALL -> new Drawn(ranges, 0, TRAINING_SAMPLES + HELD_BACK_SAMPLES);
        };
    }

    private void checkRanges(List<InputSpec> inputs) {
        List<String> floats = inputs.stream()
                .filter(input -> input.dtype().isFloat())
                .map(InputSpec::name)
                .toList();
        for (String name : ranges.keySet()) {
            if (!floats.contains(name)) {
                throw new DataException("a range is given for " + name + ", which is no input of floats ("
                        + (floats.isEmpty() ? "the model has none" : "there are " + String.join(", ", floats)) + ")");
            }
        }
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        return List.of();
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
            long elements = input.elements() / input.rows();
            long key = Mixing.mix(nameKey(input.name()) + first + sample);
            FloatRange range = ranges.getOrDefault(input.name(), FloatRange.STANDARD);
            for (long i = 0; i < elements; i++) {
                put(input, range, target, offset + i * input.dtype().bytes(), Mixing.mix(key + i));
            }
        }

        private static long nameKey(String name) {
            long key = 0;
            for (int i = 0; i < name.length(); i++) {
                key = Mixing.mix(key ^ name.charAt(i));
            }
            return key;
        }

        private static void put(InputSpec input, FloatRange range, MemorySegment target, long at, long random) {
            long bound = input.bound() == 0 ? 2 : input.bound();
            double real = range.at((random >>> 40) * 0x1p-23 - 1.0);
            switch (input.dtype()) {
                case F64 -> target.set(DOUBLE, at, real);
                case F32 -> target.set(FLOAT, at, (float) real);
                case F16 -> target.set(SHORT, at, Float.floatToFloat16((float) real));
                case BF16 -> target.set(SHORT, at, ElementConversion.toBfloat16((float) real));
                case I32 -> target.set(INT, at, (int) Long.remainderUnsigned(random, bound));
                case I64 -> target.set(LONG, at, Long.remainderUnsigned(random, bound));
                case BOOL -> target.set(ValueLayout.JAVA_BYTE, at, (byte) (random >>> 63));
                case SEED -> throw new IllegalArgumentException("seeds are no inputs");
            }
        }
    }
}
