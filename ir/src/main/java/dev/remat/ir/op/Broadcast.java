package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Repeats axes of extent 1 until the operand, of the same rank, has {@code shape}. */
public record Broadcast(Shape shape) implements View, Differentiable {
    public static Broadcast parse(Attributes attributes) {
        return new Broadcast(attributes.shape("shape"));
    }

    @Override
    public String mnemonic() {
        return "broadcast";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("shape", shape);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.tensor(this, x);
        Expect.repeatable(this, "an operand", x, shape);
        return List.of(x.with(shape));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        boolean rows = operands.resultAxis().isPresent();
        return switch (operands.role(0)) {
            case BatchRole.Free _ -> List.of(operands.alike(operands.results().getFirst()));
            case BatchRole.Mean _
            when rows -> throw new BatchRoleException("combines rows of the batch with a mean over it", 0);
            case BatchRole.Own _ when rows -> List.of(operands.linear());
            case BatchRole.Rows _, BatchRole.Alike _, BatchRole.Mean _, BatchRole.Own _, BatchRole.Sum _ ->
                operands.roles();
        };
    }

    @Override
    public void differentiate(GradientContext context) {
        Shape before = context.type(context.operand(0)).shape();
        context.contribute(0, context.sumTo(context.upstream(), before, context.wide(0)));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Broadcast(new Shape(shape.dims().stream().map(dims).toList()));
    }

    @Override
    public Optional<StridedView> through(StridedView operand) {
        return Optional.of(
                operand.broadcast(Arrays.stream(shape.toArray()).boxed().toList()));
    }
}
