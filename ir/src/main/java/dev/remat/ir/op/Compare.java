package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Locale;

/** {@code (a, b)} of one type to a bool of their shape. */
public record Compare(Kind kind) implements Pointwise {
    /** The relation that gives true. */
    public enum Kind {
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE
    }

    public static Compare parse(String mnemonic, Attributes attributes) {
        return new Compare(Kind.valueOf(mnemonic.toUpperCase(Locale.ROOT)));
    }

    @Override
    public String mnemonic() {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType a = operands.getFirst();
        Expect.same(this, a, operands.get(1));
        require(a.dtype().isFloat() || a.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), a);
        return List.of(a.with(DType.BOOL));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.nonlinear("compares a mean over the batch"));
    }
}
