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
 * and variance 1, integers uniform below the input's bound (below 2 where none is known). There is nothing to learn
 * in them but themselves.
 */
public final class SyntheticDataset implements Dataset {
    private static final long TRAINING_SAMPLES = 1024;
    private static final long HELD_BACK_SAMPLES = 128;
    private static final double HALF_WIDTH = 1.7320508075688772;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        return switch (share) {
            case TRAINING -> new Drawn(0, TRAINING_SAMPLES);
            case HELD_BACK -> new Drawn(TRAINING_SAMPLES, HELD_BACK_SAMPLES);
            case ALL -> new Drawn(0, TRAINING_SAMPLES + HELD_BACK_SAMPLES);
        };
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        return List.of();
    }

    @Override
    public SortedMap<String, String> identity() {
        return new TreeMap<>(Map.of("kind", "synthetic"));
    }

    @Override
    public void close() {}

    private record Drawn(long first, long count) implements Samples {
        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            long elements = input.elements() / input.rows();
            long key = Mixing.mix(nameKey(input.name()) + first + sample);
            for (long i = 0; i < elements; i++) {
                put(input, target, offset + i * input.dtype().bytes(), Mixing.mix(key + i));
            }
        }

        private static long nameKey(String name) {
            long key = 0;
            for (int i = 0; i < name.length(); i++) {
                key = Mixing.mix(key ^ name.charAt(i));
            }
            return key;
        }

        private static void put(InputSpec input, MemorySegment target, long at, long random) {
            long bound = input.bound() == 0 ? 2 : input.bound();
            double real = ((random >>> 40) * 0x1p-23 - 1.0) * HALF_WIDTH;
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
