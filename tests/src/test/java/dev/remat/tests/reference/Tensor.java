package dev.remat.tests.reference;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;

/** A dense row-major tensor whose elements are doubles whatever its dtype; bools are 0 or 1, a seed is its ordinal. */
public final class Tensor {
    private final TensorType type;
    private final double[] data;
    /** Of the type: references compute element by element, and ask for each. */
    private final long[] extents;

    public Tensor(TensorType type, double[] data) {
        if (data.length != type.elements()) {
            throw new IllegalArgumentException(data.length + " elements for " + type);
        }
        this.type = type;
        this.data = data;
        extents = type.shape().toArray();
    }

    public TensorType type() {
        return type;
    }

    public double[] data() {
        return data;
    }

    public static Tensor of(TensorType type, double... data) {
        return new Tensor(type, data);
    }

    public static Tensor zeros(TensorType type) {
        return filled(type, 0);
    }

    public static Tensor filled(TensorType type, double value) {
        double[] data = new double[Math.toIntExact(type.elements())];
        Arrays.fill(data, value);
        return new Tensor(type, data);
    }

    /** The tensor whose element at each index is what {@code element} gives for it. */
    static Tensor generate(TensorType type, ToDoubleFunction<long[]> element) {
        Tensor tensor = zeros(type);
        forEachIndex(type.shape(), index -> tensor.set(element.applyAsDouble(index), index));
        return tensor;
    }

    /** Visits the indices of a shape in row-major order; the array is reused. */
    static void forEachIndex(Shape shape, Consumer<long[]> visitor) {
        long[] extents = shape.toArray();
        long[] index = new long[extents.length];
        long count = shape.elements().value();
        for (long i = 0; i < count; i++) {
            visitor.accept(index);
            for (int axis = extents.length - 1; axis >= 0 && ++index[axis] == extents[axis]; axis--) {
                index[axis] = 0;
            }
        }
    }

    long extent(int axis) {
        return extents[axis];
    }

    int elements() {
        return data.length;
    }

    public double at(long... index) {
        return data[position(index)];
    }

    /** The element at {@code index}, where axes of extent 1 repeat. */
    double repeated(long... index) {
        long[] clipped = index.clone();
        for (int axis = 0; axis < clipped.length; axis++) {
            clipped[axis] = extent(axis) == 1 ? 0 : clipped[axis];
        }
        return at(clipped);
    }

    public void set(double value, long... index) {
        data[position(index)] = value;
    }

    void add(double value, long... index) {
        data[position(index)] += value;
    }

    /** {@link #add} at {@code index}, where axes of extent 1 repeat. */
    void addRepeated(double value, long... index) {
        long[] clipped = index.clone();
        for (int axis = 0; axis < clipped.length; axis++) {
            clipped[axis] = extent(axis) == 1 ? 0 : clipped[axis];
        }
        add(value, clipped);
    }

    /**
     * The sum over products of the elements of two tensors, as many as {@code axis} has here.
     *
     * @param axis along which this one's go, beginning at {@code index}
     * @param otherAxis along which the other's go, beginning at {@code otherIndex}
     */
    double dot(int axis, long[] index, Tensor other, int otherAxis, long[] otherIndex) {
        int at = position(index);
        int otherAt = other.position(otherIndex);
        int stride = stride(axis);
        int otherStride = other.stride(otherAxis);
        double sum = 0;
        for (long i = index[axis]; i < extents[axis]; i++) {
            sum += data[at] * other.data[otherAt];
            at += stride;
            otherAt += otherStride;
        }
        return sum;
    }

    private int stride(int axis) {
        int stride = 1;
        for (int inner = axis + 1; inner < extents.length; inner++) {
            stride *= Math.toIntExact(extents[inner]);
        }
        return stride;
    }

    /** The only element of a scalar. */
    public double scalar() {
        return data[0];
    }

    /** Whether {@code index} lies inside. */
    boolean contains(long... index) {
        for (int axis = 0; axis < index.length; axis++) {
            if (index[axis] < 0 || index[axis] >= extent(axis)) {
                return false;
            }
        }
        return true;
    }

    Tensor map(TensorType result, DoubleUnaryOperator function) {
        return new Tensor(result, Arrays.stream(data).map(function).toArray());
    }

    Tensor zip(Tensor other, TensorType result, DoubleBinaryOperator function) {
        double[] combined = new double[data.length];
        for (int i = 0; i < data.length; i++) {
            combined[i] = function.applyAsDouble(data[i], other.data[i]);
        }
        return new Tensor(result, combined);
    }

    @Override
    public String toString() {
        return type + " " + Arrays.toString(data);
    }

    private int position(long... index) {
        boolean inside = index.length == extents.length;
        long position = 0;
        for (int axis = 0; inside && axis < index.length; axis++) {
            inside = index[axis] >= 0 && index[axis] < extents[axis];
            position = position * extents[axis] + index[axis];
        }
        if (!inside) {
            throw new IndexOutOfBoundsException(Arrays.toString(index) + " in " + type);
        }
        return Math.toIntExact(position);
    }
}
