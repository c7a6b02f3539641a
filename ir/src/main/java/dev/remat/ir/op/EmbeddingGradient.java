package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * Gradient of {@link Embedding}: {@code (dy [.., W], ids [..]) → [rows, W]}, where each row is the sum of what its id
 * got, in the order of the ids. 16-bit floats accumulate in f32. {@code (dy, ids, sum [rows, W])} is that sum of the
 * table's other gradients and it, one addition an element, and as wide as sums are.
 *
 * @param wide whether sums stay f32 (f64 of f64) instead of being rounded to the dtype of dy
 */
public record EmbeddingGradient(Dim rows, boolean wide) implements AfterLoss {
    public EmbeddingGradient(Dim rows) {
        this(rows, false);
    }

    public static EmbeddingGradient parse(Attributes attributes) {
        return new EmbeddingGradient(attributes.dim("rows"), attributes.isWide());
    }

    @Override
    public String mnemonic() {
        return "embedding_grad";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("rows", rows).withWide(wide);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, operands.size() == 3 ? 3 : 2);
        TensorType dy = operands.get(0);
        TensorType ids = operands.get(1);
        Expect.floating(this, dy);
        Expect.integer(this, "ids", ids);
        List<Dim> dims = dy.shape().dims();
        boolean suits = !dims.isEmpty()
                && dims.subList(0, dims.size() - 1).equals(ids.shape().dims());
        require(suits, "embedding_grad takes one row an id, got %s and %s", dy, ids);
        TensorType result = Expect.sum(dy, wide).with(new Shape(List.of(rows, dims.getLast())));
        if (operands.size() == 3) {
            require(isAsWideAsSums(result.dtype()), "embedding_grad goes on with sums of f32 or f64, got %s", result);
            Expect.same(this, result, operands.get(2));
        }
        return List.of(result);
    }

    /** Whether tables of a dtype are not rounded when they are summed up. */
    public static boolean isAsWideAsSums(DType table) {
        return table.accumulator() == table;
    }

    /** Of the sum that it goes on with. */
    @Override
    public OptionalInt computesInPlaceOf(int operands) {
        return operands == 3 ? OptionalInt.of(2) : OptionalInt.empty();
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.getFirst().elements();
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new EmbeddingGradient(dims.apply(rows), wide);
    }
}
