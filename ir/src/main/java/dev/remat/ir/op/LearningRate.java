package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/** The learning rate of a step: its number, an i64 scalar counting from 1, to an f64 scalar. */
public record LearningRate(LearningRateSchedule schedule) implements AfterLoss {
    public static LearningRate parse(Attributes attributes) {
        return new LearningRate(LearningRateSchedule.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "learning_rate";
    }

    @Override
    public Attributes attributes() {
        return schedule.attributes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.type(this, "a step", operands.getFirst(), TensorType.scalar(DType.I64));
        return List.of(TensorType.scalar(DType.F64));
    }
}
