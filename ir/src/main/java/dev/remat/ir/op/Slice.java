package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The box of {@code sizes} that begins at {@code starts}, one number an axis. */
public record Slice(List<Dim> starts, List<Dim> sizes) implements View, Differentiable {
    public Slice {
        starts = List.copyOf(starts);
        sizes = List.copyOf(sizes);
        Expect.argument(starts.size() == sizes.size(), "slice from %s with sizes %s", starts, sizes);
    }

    public static Slice parse(Attributes attributes) {
        return new Slice(attributes.dims("starts"), attributes.dims("sizes"));
    }

    @Override
    public String mnemonic() {
        return "slice";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("starts", starts).with("sizes", sizes);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.tensor(this, x);
        require(x.rank() == starts.size(), "slice from %s does not suit the rank of %s", starts, x);
        for (int axis = 0; axis < x.rank(); axis++) {
            Expect.notNegative(this, "a start", starts.get(axis), x);
            Expect.notNegative(this, "a size", sizes.get(axis), x);
            Dim rest = after(x, axis);
            boolean inside = !rest.isConstant() || rest.value() >= 0;
            require(inside, "slice from %s with sizes %s leaves %s", starts, sizes, x);
        }
        return List.of(x.with(new Shape(sizes)));
    }

    /** Along the batch it takes whole runs of rows, such as the second half of two batches in one. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        BatchRole role = operands.role(0);
        for (int axis = 0; axis < starts.size(); axis++) {
            if (role.isAlong(axis)) {
                role = along(axis, role, operands);
            } else if (starts.get(axis).mentions(operands.batch())
                    || sizes.get(axis).mentions(operands.batch())) {
                throw new BatchRoleException("takes elements by the number of rows of the batch");
            }
        }
        return List.of(role);
    }

    private Dim after(TensorType x, int axis) {
        return x.dim(axis).minus(starts.get(axis)).minus(sizes.get(axis));
    }

    private BatchRole along(int axis, BatchRole role, BatchOperands operands) {
        Dim extent = operands.type(0).dim(axis);
        if (starts.get(axis).is(0) && sizes.get(axis).equals(extent)) {
            return role;
        }
        if (!(role instanceof BatchRole.Rows rows)) {
            return sizes.get(axis).mentions(operands.batch()) ? role : new BatchRole.Free();
        }
        Optional<Dim> run = extent.divideExact(rows.outer());
        Optional<Dim> first = run.flatMap(starts.get(axis)::divideExact);
        Optional<Dim> runs = run.flatMap(sizes.get(axis)::divideExact);
        if (first.isEmpty() || runs.isEmpty()) {
            throw new BatchRoleException("takes rows of the batch by their number");
        }
        return new BatchRole.Rows(axis, runs.get());
    }

    @Override
    public void differentiate(GradientContext context) {
        TensorType x = context.type(context.operand(0));
        List<Dim> high = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            high.add(after(x, axis));
        }
        context.contribute(0, context.apply(new Pad(starts, high, 0), context.upstream()));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Slice(
                starts.stream().map(dims).toList(), sizes.stream().map(dims).toList());
    }

    @Override
    public Optional<StridedView> through(StridedView operand) {
        return Optional.of(operand.slice(
                starts.stream().map(Dim::value).toList(),
                sizes.stream().map(Dim::value).toList()));
    }
}
