package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Numbers at equal distances, without operands: {@code start + step·n} for the element with number {@code n}. Computed
 * with one rounding in f64 and then rounded to the dtype; exact for integers.
 *
 * @param numbers which number an element has; those of a row count from 0
 */
public record Iota(double start, double step, IndexMap numbers, TensorType type) implements Literal {
    public Iota {
        boolean whole = start == Math.rint(start) && step == Math.rint(step);
        boolean finite = Math.abs(start) < 0x1p63 && Math.abs(step) < 0x1p63;
        Expect.argument(
                finite && (type.dtype().isFloat() || type.dtype().isInteger() && whole),
                "%s and steps of %s are no values of %s",
                start,
                step,
                type);
        numbers.expectRank(type);
    }

    public static Iota parse(Attributes attributes) {
        DType dtype = DType.ofLabel(attributes.word("dtype"));
        return new Iota(
                attributes.real("start"),
                attributes.real("step"),
                IndexMap.parse(attributes),
                new TensorType(dtype, attributes.shape("shape")));
    }

    @Override
    public String mnemonic() {
        return "iota";
    }

    @Override
    public Attributes attributes() {
        return numbers.describe(Attributes.NONE.with("start", start).with("step", step))
                .with("dtype", type.dtype().label())
                .with("shape", type.shape());
    }

    @Override
    public boolean isFlat() {
        return numbers.isFlat();
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        BatchRole role = operands.alike(type);
        if (role.rowAxis().isPresent() && numbers.strides().get(role.rowAxis().getAsInt()) != 0) {
            throw new BatchRoleException("numbers the rows of the batch");
        }
        return List.of(role);
    }

    @Override
    public Iota through(StridedView view, TensorType seen) {
        return new Iota(start, step, numbers.through(view), seen);
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new Iota(start, step, numbers, type.with(dtypes.apply(type.dtype())));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        List<Dim> bound = type.shape().dims().stream().map(dims).toList();
        return new Iota(start, step, numbers, type.with(new Shape(bound)));
    }
}
