package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Exponential moving average of a parameter (Polyak and Juditsky, 1992): {@code (average, parameter, step)}, the step
 * counting from 1 as an i64 scalar, to the new average {@code decay·average + (1 − decay)·parameter}. After the first
 * step it is the parameter itself.
 *
 * @param warmup whether the decay rises to its value, as {@code min(decay, (1 + step) / (10 + step))}
 */
public record AverageUpdate(double decay, boolean warmup) implements AfterLoss, Update {
    public AverageUpdate {
        Expect.argument(decay >= 0 && decay < 1, "decay %s is not from 0 to below 1", decay);
    }

    public static AverageUpdate parse(Attributes attributes) {
        return new AverageUpdate(attributes.real("decay"), attributes.flag("warmup"));
    }

    /** Share of the old average in the new one. */
    public double keep(long step) {
        if (step <= 1) {
            return 0;
        }
        return warmup ? Math.min(decay, (1.0 + step) / (10.0 + step)) : decay;
    }

    @Override
    public String mnemonic() {
        return "average_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("decay", decay).with("warmup", warmup);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 3);
        TensorType average = operands.getFirst();
        Expect.floating(this, average);
        Expect.type(this, "a parameter", operands.get(1), average);
        Expect.type(this, "a step", operands.get(2), TensorType.scalar(DType.I64));
        return List.of(average);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 3 * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0));
    }
}
