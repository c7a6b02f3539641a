package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * A sum over the micro-batches of a step: {@code (accumulator, value, micro-batch)}, the micro-batch counting from 0 as
 * an i64 scalar, to the new accumulator. It takes the value of micro-batch 0, whatever it has held before, and adds
 * those of the others in their order, one addition an element in the dtype of both; integers wrap.
 *
 * <p>Where the value comes from several ranks, {@code (accumulator, value, sent, micro-batch)} also holds on to what
 * this one has sent for it, which others may read until then.
 *
 * <p>Accumulator and value are of one type: f32, f64, i32 or i64. Sums of 16-bit values are kept wider than these; what
 * several ranks have computed is widened as it is added.
 */
public record Accumulate() implements MicroBatchUpdate {
    private static final List<DType> SUMS = List.of(DType.F32, DType.F64, DType.I32, DType.I64);

    @Override
    public String mnemonic() {
        return "accumulate";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        int count = MicroBatchUpdate.pieces(operands.getFirst(), operands.get(1)) == 1 ? 3 : operands.size();
        require(count == 3 || count == 4, "accumulate takes 3 operands, or 4 with what was sent, got %d", count);
        Expect.count(this, operands, count);
        TensorType accumulator = operands.getFirst();
        require(SUMS.contains(accumulator.dtype()), "accumulate adds up f32, f64, i32 or i64, got %s", accumulator);
        TensorType value = MicroBatchUpdate.piece(accumulator, operands.get(1));
        boolean widened = !value.equals(operands.get(1))
                && value.dtype().isFloat()
                && value.dtype().accumulator() == accumulator.dtype();
        Expect.same(this, accumulator, widened ? value.with(accumulator.dtype()) : value);
        Expect.microBatch(this, operands.getLast());
        return List.of(accumulator);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.get(1).elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0));
    }
}
