package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Gradient of {@link Embedding}: {@code (dy [.., W], ids [..]) → [rows, W]}, where each row is the sum of what its id
 * got, in the order of the ids. 16-bit floats accumulate in f32.
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
        Expect.count(this, operands, 2);
        TensorType dy = operands.get(0);
        TensorType ids = operands.get(1);
        Expect.floating(this, dy);
        Expect.integer(this, "ids", ids);
        List<Dim> dims = dy.shape().dims();
        boolean suits = !dims.isEmpty()
                && dims.subList(0, dims.size() - 1).equals(ids.shape().dims());
        require(suits, "embedding_grad takes one row an id, got %s and %s", dy, ids);
        return List.of(Expect.sum(dy, wide).with(new Shape(List.of(rows, dims.getLast()))));
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
