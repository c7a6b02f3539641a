package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/** Gradient of {@link Dropout}: {@code (dy, seed) → dx} by the mask of the same ordinal, drawn again. */
public record DropoutGradient(Dropout forward) implements AfterLoss, Elementwise {
    public static DropoutGradient parse(Attributes attributes) {
        return new DropoutGradient(Dropout.parse(attributes));
    }

    @Override
    public OptionalInt drawnOrdinal() {
        return forward.drawnOrdinal();
    }

    @Override
    public Optional<DrawnRows> drawnRows() {
        return forward.drawnRows();
    }

    @Override
    public String mnemonic() {
        return "dropout_grad";
    }

    @Override
    public Attributes attributes() {
        return forward.attributes();
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
        return new DropoutGradient(forward.bind(dims));
    }

    @Override
    public Op atPiece(int k) {
        return new DropoutGradient(forward.atPiece(k));
    }
}
