package dev.remat.tests.reference;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;

/** Random tensors of one floating dtype, of bools and of indices. */
final class SampleSource {
    private final DType real;
    private final Random random;

    SampleSource(DType real, long seed) {
        this.real = real;
        this.random = new Random(seed);
    }

    /** From −2 to 2, and at least 0.05 from every half. */
    Tensor number(long... extents) {
        return fill(real, extents, () -> (random.nextInt(-4, 4) + 0.1 + 0.8 * random.nextDouble()) / 2);
    }

    /** From 0.5 to 2. */
    Tensor positive(long... extents) {
        return fill(real, extents, () -> 0.5 + 1.5 * random.nextDouble());
    }

    /** From −0.9 to 0.9. */
    Tensor fraction(long... extents) {
        return fill(real, extents, () -> 1.8 * random.nextDouble() - 0.9);
    }

    /** From 1.25 to 3. */
    Tensor beyondOne(long... extents) {
        return fill(real, extents, () -> 1.25 + 1.75 * random.nextDouble());
    }

    /** 0.5 or −0.5, by which no {@link #number} divides to nearly an integer. */
    Tensor half(long... extents) {
        return fill(real, extents, () -> random.nextBoolean() ? 0.5 : -0.5);
    }

    /** 0, 1 or 2, so that equal ones are frequent. */
    Tensor digit(long... extents) {
        return fill(real, extents, () -> random.nextInt(3));
    }

    /** Quarters in random order, so that no two are near. */
    Tensor distinct(long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(real, extents));
        double[] data = tensor.data();
        for (int i = 0; i < data.length; i++) {
            int place = random.nextInt(i + 1);
            data[i] = data[place];
            data[place] = (i - data.length / 2) * 0.25;
        }
        return tensor;
    }

    Tensor bool(long... extents) {
        return fill(DType.BOOL, extents, () -> random.nextInt(4) > 0 ? 1 : 0);
    }

    /** From 0 to below {@code bound}. */
    Tensor index(int bound, long... extents) {
        return fill(DType.I32, extents, () -> random.nextInt(bound));
    }

    /** The same tensor in the dtype that sums of it have. */
    Tensor wide(Tensor tensor) {
        return new Tensor(tensor.type().with(real.accumulator()), tensor.data());
    }

    private Tensor fill(DType dtype, long[] extents, DoubleSupplier source) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        Arrays.setAll(tensor.data(), i -> source.getAsDouble());
        return Rounding.TO_DTYPE.round(tensor);
    }
}
