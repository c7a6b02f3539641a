package dev.remat.ir;

/** Element type and shape of a value. */
public record TensorType(DType dtype, Shape shape) {
    public static final TensorType SEED = new TensorType(DType.SEED, Shape.SCALAR);

    public static TensorType scalar(DType dtype) {
        return new TensorType(dtype, Shape.SCALAR);
    }

    public static TensorType of(DType dtype, long... dims) {
        return new TensorType(dtype, Shape.of(dims));
    }

    public int rank() {
        return shape.rank();
    }

    public Dim dim(int axis) {
        return shape.dim(axis);
    }

    /** Number of elements; the shape must be static. */
    public long elements() {
        return shape.elements().value();
    }

    /** Storage in bytes, dense and row-major; the shape must be static. */
    public long bytes() {
        return dtype.bytesOf(elements());
    }

    public TensorType with(DType other) {
        return new TensorType(other, shape);
    }

    public TensorType with(Shape other) {
        return new TensorType(dtype, other);
    }

    @Override
    public String toString() {
        return dtype.label() + shape;
    }
}
