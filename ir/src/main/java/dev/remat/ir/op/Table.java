package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Numbers that a model lists, without operands: {@code values[n]} for the element with number {@code n}. Integers and
 * bools are given as the equal double.
 *
 * @param values at most {@link #MOST_VALUES}, for they lie in the kernels that read them
 * @param numbers which number an element has; those of a row count from 0
 */
public record Table(List<Double> values, IndexMap numbers, TensorType type) implements Literal {
    public static final int MOST_VALUES = 4096;

    public Table {
        values = List.copyOf(values);
        Expect.argument(!values.isEmpty() && values.size() <= MOST_VALUES, "a table of %s numbers", values.size());
        for (double value : values) {
            Expect.argument(Constant.suits(value, type.dtype()), "%s is no value of %s", value, type);
        }
        numbers.expectRank(type);
        Expect.argument(type.shape().isStatic(), "a table of %s", type);
        long last = numbers.last(type);
        Expect.argument(last < values.size(), "%s reads number %s of %s", type, last, values.size());
    }

    public static Table parse(Attributes attributes) {
        DType dtype = DType.ofLabel(attributes.word("dtype"));
        return new Table(
                attributes.reals("values"),
                IndexMap.parse(attributes),
                new TensorType(dtype, attributes.shape("shape")));
    }

    @Override
    public String mnemonic() {
        return "table";
    }

    @Override
    public Attributes attributes() {
        return numbers.describe(Attributes.NONE.with("values", values))
                .with("dtype", type.dtype().label())
                .with("shape", type.shape());
    }

    @Override
    public boolean isFlat() {
        return numbers.isFlat();
    }

    @Override
    public Table through(StridedView view, TensorType seen) {
        return new Table(values, numbers.through(view), seen);
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new Table(values, numbers, type.with(dtypes.apply(type.dtype())));
    }
}
