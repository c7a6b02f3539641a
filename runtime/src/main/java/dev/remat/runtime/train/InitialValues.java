package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.io.Sha256;
import dev.remat.runtime.io.ElementConversion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.stream.LongStream;

/**
 * What parameters and states start from: a function of the user seed and the tensor's name, the same on every machine.
 * An average starts as its parameter does, and lengths are those of what another tensor starts from.
 * Each element is drawn from a counter, so that no order of evaluation changes it.
 */
final class InitialValues {
    private static final long CHUNK = 1 << 16;
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private final DType dtype;
    private final Initializer initializer;
    private final long key;

    /** @param name of the tensor */
    InitialValues(String name, DType dtype, Initializer initializer, long seed) {
        this.dtype = dtype;
        this.initializer = initializer;
        String drawn =
                initializer instanceof Initializer.Lengths lengths ? lengths.of() : ExecutionPlan.averagedBy(name);
        this.key = key(drawn, seed);
    }

    /** Fills {@code values} with the elements from {@code first} on. */
    void fill(long first, MemorySegment values) {
        long elements = values.byteSize() / dtype.bytes();
        LongStream.range(0, Math.ceilDiv(elements, CHUNK)).parallel().forEach(chunk -> {
            long end = Math.min(elements, (chunk + 1) * CHUNK);
            for (long i = chunk * CHUNK; i < end; i++) {
                double value = value(initializer, dtype, key, first + i);
                ElementConversion.put(value, dtype, values, i * dtype.bytes());
            }
        });
    }

    private static double value(Initializer initializer, DType dtype, long key, long index) {
        return switch (initializer) {
            case Initializer.Constant constant -> constant.value();
            case Initializer.Uniform uniform -> uniform.low() + (uniform.high() - uniform.low()) * unit(key, 2 * index);
            case Initializer.Normal normal -> normal.mean() + normal.std() * gaussian(key, index);
            case Initializer.Lengths lengths -> length(lengths, dtype, key, index);
        };
    }

    private static double length(Initializer.Lengths lengths, DType dtype, long key, long index) {
        double sum = 0;
        for (long i = index * lengths.run(); i < (index + 1) * lengths.run(); i++) {
            double exact = value(lengths.initializer(), dtype, key, i);
            double value = dtype == DType.F64 ? exact : (float) exact;
            sum += value * value;
        }
        return StrictMath.sqrt(sum);
    }

    /** Box and Muller, 1958; {@link StrictMath} has the same bits everywhere. */
    private static double gaussian(long key, long index) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - unit(key, 2 * index)));
        return radius * StrictMath.cos(2 * Math.PI * unit(key, 2 * index + 1));
    }

    /** Uniform on [0, 1): SplitMix64 (Steele, Lea and Flood, 2014) at a position of its sequence. */
    private static double unit(long key, long position) {
        long z = key + (position + 1) * GOLDEN_GAMMA;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return ((z ^ z >>> 31) >>> 11) * 0x1p-53;
    }

    private static long key(String name, long seed) {
        MessageDigest digest = Sha256.digest();
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, seed));
        return ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }
}
