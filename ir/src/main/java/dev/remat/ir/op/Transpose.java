package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts the axes in another order: axis {@code i} of the result is axis {@code permutation[i]} of the operand. */
public record Transpose(List<Integer> permutation) implements View, Differentiable {
    public Transpose {
        permutation = List.copyOf(permutation);
        List<Integer> sorted = Expect.axes(permutation);
        boolean complete = sorted.isEmpty() || sorted.getLast() == sorted.size() - 1;
        Expect.argument(complete, "%s is no permutation of axes", permutation);
    }

    public static Transpose parse(Attributes attributes) {
        return new Transpose(attributes.integers("permutation"));
    }

    @Override
    public String mnemonic() {
        return "transpose";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("permutation", permutation);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.tensor(this, x);
        require(x.rank() == permutation.size(), "transpose by %s does not suit the rank of %s", permutation, x);
        List<Dim> moved = permutation.stream().map(x::dim).toList();
        return List.of(x.with(new Shape(moved)));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.role(0).moved(permutation::indexOf));
    }

    @Override
    public void differentiate(GradientContext context) {
        context.contribute(0, context.transpose(context.upstream(), inverse()));
    }

    /** The permutation that takes the result back to the operand. */
    public List<Integer> inverse() {
        List<Integer> inverse = new ArrayList<>(permutation);
        for (int axis = 0; axis < permutation.size(); axis++) {
            inverse.set(permutation.get(axis), axis);
        }
        return List.copyOf(inverse);
    }

    @Override
    public Optional<StridedView> through(StridedView operand) {
        return Optional.of(operand.transpose(permutation));
    }

    @Override
    public Optional<View> inverse(Shape operand) {
        return Optional.of(new Transpose(inverse()));
    }
}
