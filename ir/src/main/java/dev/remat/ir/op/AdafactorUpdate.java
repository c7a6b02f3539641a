package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * The last part of Adafactor (Shazeer and Stern, 2018), as PyTorch computes it: {@code parameter}, {@code gradient},
 * {@code rate}, {@code size} of the step, the estimate of squares, {@code factor} of the gradient if clipped; to the
 * new parameter. The estimate is {@code rows} [.., m, 1] and {@code columns} [.., 1, n] of which it is the product if
 * factored, else as large as the parameter.
 *
 * <p>{@code parameter ← (1 − rate·weightDecay)·parameter − size·factor·gradient / max(√estimate, epsilon)}.
 */
public record AdafactorUpdate(double epsilon, double weightDecay, boolean factored, boolean clipped)
        implements OptimizerUpdate {
    public AdafactorUpdate {
        Expect.fromZero("epsilon", epsilon);
        Expect.fromZero("weight decay", weightDecay);
    }

    public static AdafactorUpdate parse(Attributes attributes) {
        return new AdafactorUpdate(
                attributes.real("epsilon"),
                attributes.real("weight_decay"),
                attributes.flag("factored"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return "adafactor_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("epsilon", epsilon)
                .with("weight_decay", weightDecay)
                .with("factored", factored)
                .with("clipped", clipped);
    }

    /** Operand that is the factor if clipped. */
    public int factorIndex() {
        return factored ? 6 : 5;
    }

    /** The type of rows ({@code fromEnd} 1) or columns (2) of a parameter: that axis is of extent 1. */
    public static TensorType reduced(TensorType parameter, int fromEnd) {
        List<Dim> dims = new ArrayList<>(parameter.shape().dims());
        dims.set(dims.size() - fromEnd, Dim.ONE);
        return new TensorType(parameter.dtype(), new Shape(dims));
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, factorIndex() + (clipped ? 1 : 0));
        TensorType parameter = Expect.updated(this, operands);
        Expect.real(this, "a rate", operands.get(2));
        Expect.real(this, "a size", operands.get(3));
        if (factored) {
            ShapeException.require(
                    parameter.rank() > 1, "%s wants a parameter of two axes or more, got %s", mnemonic(), parameter);
            Expect.type(this, "rows", operands.get(4), reduced(parameter, 1));
            Expect.type(this, "columns", operands.get(5), reduced(parameter, 2));
        } else {
            Expect.type(this, "an estimate", operands.get(4), parameter);
        }
        if (clipped) {
            Expect.real(this, "a factor", operands.getLast());
        }
        return List.of(parameter);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        long each = 5 + (factored ? 1 : 0) + (weightDecay != 0 ? 1 : 0) + (clipped ? 1 : 0);
        return each * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0));
    }
}
