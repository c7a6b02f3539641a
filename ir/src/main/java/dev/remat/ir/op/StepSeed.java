package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/** The seed with which the first random operation of this step draws, ordinal 0 of the chain. */
public record StepSeed() implements SeedOp {
    @Override
    public int seedOrdinal() {
        return 0;
    }

    @Override
    public String mnemonic() {
        return "step_seed";
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
