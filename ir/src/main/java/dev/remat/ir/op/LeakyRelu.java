package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/** {@code x} where it is positive, {@code slope·x} elsewhere (Maas, Hannun and Ng, 2013). */
public record LeakyRelu(double slope) implements Elementwise, Differentiable {
    public LeakyRelu {
        Expect.argument(Double.isFinite(slope), "slope %s is not finite", slope);
    }

    public static LeakyRelu parse(Attributes attributes) {
        return new LeakyRelu(attributes.real("slope"));
    }

    @Override
    public String mnemonic() {
        return "leaky_relu";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("slope", slope);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.floating(this, operands.getFirst());
        return operands;
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId dy = context.upstream();
        // A slope that is not negative leaves the sign alone, so the result tells the side as well as the operand does.
        ValueId side = slope >= 0 ? context.result(0) : context.operand(0);
        ValueId zero = context.filled(0, context.type(dy));
        ValueId positive = context.compare(Compare.Kind.GT, side, zero);
        context.contribute(0, context.select(positive, dy, context.scale(dy, slope)));
    }
}
