package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Sum over all elements of several tensors of their squares: floats of any dtype and shape, then a factor of all of
 * them if {@code scaled}, to an f32 scalar. It accumulates in f32, in f64 where a tensor is f64.
 */
public record SumOfSquares(boolean scaled) implements AfterLoss {
    public static SumOfSquares parse(Attributes attributes) {
        return new SumOfSquares(attributes.flag("scaled"));
    }

    @Override
    public String mnemonic() {
        return "sum_of_squares";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("scaled", scaled);
    }

    /** What is squared, among the operands. */
    public <T> List<T> tensors(List<T> operands) {
        return operands.subList(0, operands.size() - (scaled ? 1 : 0));
    }

    /** Whether it accumulates in f64. */
    public static boolean isPrecise(List<TensorType> tensors) {
        return tensors.stream().anyMatch(tensor -> tensor.dtype() == DType.F64);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(operands.size() > (scaled ? 1 : 0), "%s takes at least one tensor", mnemonic());
        tensors(operands).forEach(tensor -> Expect.floating(this, tensor));
        if (scaled) {
            Expect.real(this, "a factor", operands.getLast());
        }
        return List.of(TensorType.scalar(DType.F32));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (scaled ? 3 : 2)
                * tensors(operands).stream().mapToLong(TensorType::elements).sum();
    }
}
