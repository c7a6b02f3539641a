package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The same elements in row-major order under another shape with as many elements. */
public record Reshape(Shape shape) implements View, Differentiable {
    public static Reshape parse(Attributes attributes) {
        return new Reshape(attributes.shape("shape"));
    }

    @Override
    public String mnemonic() {
        return "reshape";
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
        Dim before = x.shape().elements();
        Dim after = shape.elements();
        require(before.equals(after), "%s with %s elements does not reshape to %s with %s", x, before, shape, after);
        return List.of(x.with(shape));
    }

    /** The runs of the rows stay in memory as they are, behind other axes. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return switch (operands.role(0)) {
            case BatchRole.Rows(int axis, Dim outer) -> List.of(rows(operands, axis, outer));
            case BatchRole.Alike(int axis) -> {
                BatchRole rows = rows(operands, axis, Dim.ONE);
                Shape before = operands.type(0).shape();
                int now = operands.resultAxis().orElseThrow();
                boolean same = shape.dim(now).equals(before.dim(axis))
                        && front(shape, now).equals(front(before, axis));
                yield List.of(same ? new BatchRole.Alike(now) : rows);
            }
            case BatchRole.Free _, BatchRole.Mean _, BatchRole.Sum _, BatchRole.Own _ -> operands.roles();
        };
    }

    private BatchRole rows(BatchOperands operands, int axis, Dim outer) {
        Dim runs = front(operands.type(0).shape(), axis).times(outer);
        int now = operands.resultAxis().orElseThrow();
        Optional<Dim> outerNow = runs.divideExact(front(shape, now))
                .filter(o ->
                        shape.dim(now).divideExact(o.times(operands.batch())).isPresent());
        return new BatchRole.Rows(
                now, outerNow.orElseThrow(() -> new BatchRoleException("reshapes rows of the batch into others")));
    }

    /** How many elements the axes in front of {@code axis} have. */
    private static Dim front(Shape shape, int axis) {
        return new Shape(shape.dims().subList(0, axis)).elements();
    }

    @Override
    public void differentiate(GradientContext context) {
        Shape before = context.type(context.operand(0)).shape();
        context.contribute(0, context.reshape(context.upstream(), before));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Reshape(new Shape(shape.dims().stream().map(dims).toList()));
    }

    @Override
    public Optional<StridedView> through(StridedView operand) {
        return operand.reshape(Arrays.stream(shape.toArray()).boxed().toList());
    }

    @Override
    public Optional<View> inverse(Shape operand) {
        return Optional.of(new Reshape(operand));
    }
}
