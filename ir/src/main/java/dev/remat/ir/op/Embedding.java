package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Rows of a table: {@code (table [V, W], ids [..] of i32 or i64) → [.., W]}. Ids count from 0 and are below V. */
public record Embedding() implements Op {
    @Override
    public String mnemonic() {
        return "embedding";
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
        return List.of(table.with(new Shape(dims)));
    }

    @Override
    public OptionalInt indexedAxis() {
        return OptionalInt.of(0);
    }

    @Override
    public boolean isDifferentiable() {
        return true;
    }

    @Override
    public void differentiate(GradientContext context) {
        Op op = new EmbeddingGradient(context.type(context.operand(0)).dim(0));
        if (context.wanted(0)) {
            context.contribute(0, context.apply(op, context.upstream(), context.operand(1)));
        }
    }
}
