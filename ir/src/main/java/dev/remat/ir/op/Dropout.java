package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * {@code (x, seed) → (y, next seed)}: each element is 0 with probability {@code p}, else {@code x/(1 − p)} (Srivastava
 * et al., 2014). The seed has no shape to compare.
 *
 * <p>Draws are Philox 4x32-10 (Salmon et al., 2011): the key is the user seed, low word first; the counter is the low
 * and high word of {@code element/4}, the ordinal and the step; word {@code element % 4} of the result, shifted right
 * by 8 and times 2⁻²⁴, keeps the element if it is not below {@code p}. No mask is ever stored.
 *
 * @param p from 0, inclusive, to 1, exclusive
 * @param drawnRows which elements of a larger tensor these are; their numbers in it are what the words come from
 */
public record Dropout(double p, int ordinal, Optional<DrawnRows> drawnRows)
        implements Elementwise, RandomOp, Differentiable {
    public Dropout {
        Expect.argument(p >= 0 && p < 1, "dropout of %s is not from 0 to below 1", p);
        Expect.argument(ordinal >= 0, "ordinal %s", ordinal);
    }

    /** Of a tensor that is whole. */
    public Dropout(double p, int ordinal) {
        this(p, ordinal, Optional.empty());
    }

    public static Dropout parse(Attributes attributes) {
        return new Dropout(attributes.real("p"), attributes.integer("ordinal"), DrawnRows.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "dropout";
    }

    @Override
    public Attributes attributes() {
        return DrawnRows.write(drawnRows, Attributes.NONE.with("p", p).with("ordinal", ordinal));
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        Expect.floating(this, operands.get(0));
        Expect.seed(this, operands.get(1));
        DrawnRows.check(this, operands.get(0));
        return List.of(operands.get(0), TensorType.SEED);
    }

    /** Linear for the mask that the seed gives. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.linear(0).unlike(), new BatchRole.Free());
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId dx = context.apply(new DropoutGradient(this), context.upstream(), context.operand(1));
        context.contribute(0, dx);
    }

    @Override
    public Dropout bind(UnaryOperator<Dim> dims) {
        return new Dropout(p, ordinal, DrawnRows.bind(drawnRows, dims));
    }

    @Override
    public Dropout atPiece(int k) {
        return new Dropout(p, ordinal, DrawnRows.atPiece(drawnRows, k));
    }

    @Override
    public Dropout withDrawnRows(DrawnRows rows) {
        return new Dropout(p, ordinal, Optional.of(rows));
    }
}
