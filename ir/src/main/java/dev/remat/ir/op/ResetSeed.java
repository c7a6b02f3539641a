package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/** The seed with which the random operation of the given ordinal draws in this step. */
public record ResetSeed(int ordinal) implements SeedOp {
    public ResetSeed {
        Expect.argument(ordinal >= 0, "ordinal %s", ordinal);
    }

    public static ResetSeed parse(Attributes attributes) {
        return new ResetSeed(attributes.integer("ordinal"));
    }

    @Override
    public int seedOrdinal() {
        return ordinal;
    }

    @Override
    public String mnemonic() {
        return "reset_seed";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("ordinal", ordinal);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 0);
        return List.of(TensorType.SEED);
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(new BatchRole.Free());
    }
}
