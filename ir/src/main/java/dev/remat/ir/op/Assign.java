package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/** A state takes a value that the step has computed: {@code (state, value)}, both of one type, to the new state. */
public record Assign() implements AfterLoss, Update {
    @Override
    public String mnemonic() {
        return "assign";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        operands.forEach(operand -> Expect.tensor(this, operand));
        Expect.same(this, operands.get(0), operands.get(1));
        return List.of(operands.getFirst());
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0));
    }
}
