package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/** Gradient of {@link Dropout}: {@code (dy, seed) → dx} by the mask of the same ordinal, drawn again. */
public record DropoutGradient(double p, int ordinal, Optional<DrawnRows> drawnRows) implements AfterLoss, Elementwise {
    public DropoutGradient {
        Expect.argument(p >= 0 && p < 1, "dropout of %s is not from 0 to below 1", p);
        Expect.argument(ordinal >= 0, "ordinal %s", ordinal);
    }

    /** Of a tensor that is whole. */
    public DropoutGradient(double p, int ordinal) {
        this(p, ordinal, Optional.empty());
    }

    public static DropoutGradient parse(Attributes attributes) {
        return new DropoutGradient(attributes.real("p"), attributes.integer("ordinal"), DrawnRows.parse(attributes));
    }

    @Override
    public OptionalInt drawnOrdinal() {
        return OptionalInt.of(ordinal);
    }

    @Override
    public String mnemonic() {
        return "dropout_grad";
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
        return List.of(operands.get(0));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return AfterLoss.super.batchRoles(operands);
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new DropoutGradient(p, ordinal, DrawnRows.bind(drawnRows, dims));
    }

    @Override
    public Op atPiece(int k) {
        return new DropoutGradient(p, ordinal, DrawnRows.atPiece(drawnRows, k));
    }
}
