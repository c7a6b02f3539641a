package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.function.UnaryOperator;

/** A tensor of one repeated value, without operands; integers and bools are given as the equal double. */
public record Constant(double value, TensorType type) implements Literal {
    public Constant {
        Expect.argument(suits(value, type.dtype()), "%s is no value of %s", value, type);
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
        return new Constant(attributes.real("value"), new TensorType(dtype, attributes.shape("shape")));
    }

    @Override
    public String mnemonic() {
        return "constant";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("value", value)
                .with("dtype", type.dtype().label())
                .with("shape", type.shape());
    }

    @Override
    public boolean isFlat() {
        return true;
    }

    @Override
    public Constant through(StridedView view, TensorType seen) {
        return new Constant(value, seen);
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new Constant(value, type.with(dtypes.apply(type.dtype())));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Constant(
                value,
                type.with(new Shape(type.shape().dims().stream().map(dims).toList())));
    }
}
