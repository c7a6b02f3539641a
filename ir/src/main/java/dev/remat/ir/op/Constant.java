package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.function.UnaryOperator;

/**
 * A tensor of one repeated value, without operands; integers and bools are given as the equal double. While symbols
 * are left, the value may be a number of them, such as how many rows there are.
 *
 * @param factor the value, once {@code extent} is bound
 * @param extent what {@code factor} is multiplied by: 1, or in terms of symbols
 */
public record Constant(double factor, Dim extent, TensorType type) implements Literal {
    private static final String EXTENT = "extent";

    public Constant {
        if (extent.isConstant()) {
            factor *= extent.value();
            extent = Dim.ONE;
        }
        boolean number = type.dtype().isFloat() || type.dtype().isInteger();
        Expect.argument(
                suits(factor, type.dtype()) && (number || extent.isConstant()),
                "%s is no value of %s",
                extent.isConstant() ? factor : factor + "*" + extent,
                type);
    }

    public Constant(double value, TensorType type) {
        this(value, Dim.ONE, type);
    }

    /**
     * What is repeated.
     *
     * @throws IllegalStateException while symbols are left in it
     */
    public double value() {
        return factor * extent.value();
    }

    /** Whether tensors of the dtype can hold the value, perhaps rounded. */
    public static boolean suits(double value, DType dtype) {
        boolean whole = value == Math.rint(value) && !Double.isInfinite(value);
        return switch (dtype) {
            case F32, BF16, F16, F64 -> true;
            case I32, I64 -> whole;
            case BOOL, BIT -> value == 0 || value == 1;
            case SEED -> false;
        };
    }

    public static Constant parse(Attributes attributes) {
        DType dtype = DType.ofLabel(attributes.word("dtype"));
        Dim extent = attributes.has(EXTENT) ? attributes.dim(EXTENT) : Dim.ONE;
        return new Constant(attributes.real("value"), extent, new TensorType(dtype, attributes.shape("shape")));
    }

    @Override
    public String mnemonic() {
        return "constant";
    }

    @Override
    public Attributes attributes() {
        Attributes value = Attributes.NONE.with("value", factor);
        return (extent.isConstant() ? value : value.with(EXTENT, extent))
                .with("dtype", type.dtype().label())
                .with("shape", type.shape());
    }

    @Override
    public boolean isFlat() {
        return true;
    }

    @Override
    public Constant through(StridedView view, TensorType seen) {
        return new Constant(factor, extent, seen);
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new Constant(factor, extent, type.with(dtypes.apply(type.dtype())));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Constant(
                factor,
                dims.apply(extent),
                type.with(new Shape(type.shape().dims().stream().map(dims).toList())));
    }
}
