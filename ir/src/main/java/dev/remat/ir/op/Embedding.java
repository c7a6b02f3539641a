package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Rows of a table: {@code (table [V, W], ids [..] of i32 or i64) → [.., W]}. Ids count from 0 and are below V.
 *
 * @param rounded 16-bit dtype of the rows, of an f32 table; empty for rows as they are
 */
public record Embedding(Optional<DType> rounded) implements Op, Differentiable {
    private static final String DTYPE = "dtype";

    public Embedding {
        boolean narrow = rounded.map(dtype -> dtype.accumulator() != dtype).orElse(true);
        Expect.argument(narrow, "rows cannot be rounded to %s", rounded);
    }

    /** Of rows as they are. */
    public Embedding() {
        this(Optional.empty());
    }

    public static Embedding parse(Attributes attributes) {
        return new Embedding(
                attributes.has(DTYPE) ? Optional.of(DType.ofLabel(attributes.word(DTYPE))) : Optional.empty());
    }

    @Override
    public String mnemonic() {
        return "embedding";
    }

    @Override
    public Attributes attributes() {
        return rounded.map(dtype -> Attributes.NONE.with(DTYPE, dtype.label())).orElse(Attributes.NONE);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType table = operands.get(0);
        TensorType ids = operands.get(1);
        Expect.floating(this, table);
        Expect.rank(this, "a table", table, 2);
        Expect.integer(this, "ids", ids);
        List<Dim> dims = new ArrayList<>(ids.shape().dims());
        dims.add(table.dim(1));
        rounded.ifPresent(dtype -> Expect.dtype(this, "a table", table, dtype.accumulator()));
        return List.of(table.with(rounded.orElse(table.dtype())).with(new Shape(dims)));
    }

    /** Linear in the table, whose columns may be rows of the batch. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "looks up rows of the batch by their number", 0);
        operands.nonlinear("looks up means over the batch", 1);
        boolean columns = operands.role(0).rowAxis().isPresent();
        if (columns) {
            operands.unbatched(1, "compares rows of the batch with each other");
        }
        int last = operands.type(1).rank();
        return List.of(operands.linear().moved(axis -> columns ? last : axis));
    }

    @Override
    public OptionalInt indexedAxis() {
        return OptionalInt.of(0);
    }

    @Override
    public void differentiate(GradientContext context) {
        Op op = new EmbeddingGradient(context.type(context.operand(0)).dim(0), rounded.isPresent());
        if (context.wanted(0)) {
            context.contribute(0, context.apply(op, context.upstream(), context.operand(1)));
        }
    }
}
