package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * {@link SumOfSquares} of tensors of which some are given by what {@link ChunkSquares} has made of all their chunks:
 * these or the tensors, then a factor of the tensors if {@code scaled}, to an f32 scalar with the bits of that.
 *
 * @param chunked which operands are sums by chunks
 * @param precise whether it accumulates in f64, as where a tensor is f64 whose sums it gets
 */
public record SumOfChunks(List<Integer> chunked, boolean scaled, boolean precise) implements AfterLoss {
    public SumOfChunks {
        chunked = List.copyOf(chunked);
    }

    public static SumOfChunks parse(Attributes attributes) {
        return new SumOfChunks(attributes.integers("chunked"), attributes.flag("scaled"), attributes.isPrecise());
    }

    @Override
    public String mnemonic() {
        return "sum_of_chunks";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("chunked", chunked).with("scaled", scaled).withPrecise(precise);
    }

    /** What is summed up, among the operands. */
    public <T> List<T> sums(List<T> operands) {
        return operands.subList(0, operands.size() - (scaled ? 1 : 0));
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(operands.size() > (scaled ? 1 : 0), "%s takes at least one tensor", mnemonic());
        List<TensorType> sums = sums(operands);
        sums.forEach(each -> Expect.floating(this, each));
        for (int operand : chunked) {
            boolean suits = operand < sums.size()
                    && sums.get(operand).dtype() == DType.F64
                    && sums.get(operand).rank() == 1;
            ShapeException.require(suits, "operand %d of %s is no sums by chunks", operand, mnemonic());
        }
        if (scaled) {
            Expect.real(this, "a factor", operands.getLast());
        }
        return List.of(TensorType.scalar(DType.F32));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (scaled ? 3 : 2)
                * sums(operands).stream().mapToLong(TensorType::elements).sum();
    }
}
