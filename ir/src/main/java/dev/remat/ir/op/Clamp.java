package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/** {@code min(max(x, low), high)}; the gradient passes where {@code low ≤ x ≤ high}. An end may be infinite. */
public record Clamp(double low, double high) implements Elementwise, Differentiable {
    public Clamp {
        Expect.argument(low <= high, "clamp from %s to %s is empty", low, high);
    }

    public static Clamp parse(Attributes attributes) {
        return new Clamp(attributes.real("low"), attributes.real("high"));
    }

    @Override
    public String mnemonic() {
        return "clamp";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("low", low).with("high", high);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.floating(this, operands.getFirst());
        return operands;
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId x = context.operand(0);
        TensorType type = context.type(x);
        ValueId above = context.compare(Compare.Kind.GE, x, low);
        ValueId below = context.compare(Compare.Kind.LE, x, high);
        ValueId inside = context.binary(Binary.Kind.AND, above, below);
        context.contribute(0, context.select(inside, context.upstream(), context.filled(0, type)));
    }
}
