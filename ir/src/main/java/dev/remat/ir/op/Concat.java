package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** One or more operands, equal but for their extents along {@code axis}, one after the other along it. */
public record Concat(int axis) implements Op, Differentiable {
    public Concat {
        Expect.argument(axis >= 0, "axis %s", axis);
    }

    public static Concat parse(Attributes attributes) {
        return new Concat(attributes.integer("axis"));
    }

    @Override
    public String mnemonic() {
        return "concat";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axis", axis);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        require(!operands.isEmpty(), "concat takes at least one operand");
        TensorType first = operands.getFirst();
        Expect.tensor(this, first);
        Expect.axis(this, axis, first);
        Dim extent = Dim.ZERO;
        for (TensorType operand : operands) {
            boolean suits = operand.rank() == first.rank()
                    && operand.with(operand.shape().with(axis, first.dim(axis))).equals(first);
            require(suits, "concat along axis %d does not join %s and %s", axis, first, operand);
            extent = extent.plus(operand.dim(axis));
        }
        return List.of(first.with(first.shape().with(axis, extent)));
    }

    /** Along the batch it lines up runs of rows, which must be of one length. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        boolean others =
                operands.types().stream().noneMatch(type -> type.dim(axis).mentions(operands.batch()));
        return List.of(others ? operands.linear() : new BatchRole.Rows(axis, runs(operands)));
    }

    private Dim runs(BatchOperands operands) {
        Dim length = operands.batch().times(inner(operands));
        Dim runs = Dim.ZERO;
        for (int i = 0; i < operands.count(); i++) {
            Optional<Dim> outer = operands.type(i).dim(axis).divideExact(length);
            boolean fits = operands.role(i) instanceof BatchRole.Rows rows
                    ? outer.equals(Optional.of(rows.outer()))
                    : operands.role(i) instanceof BatchRole.Alike && outer.isPresent();
            if (!fits) {
                throw new BatchRoleException("puts something else behind rows of the batch");
            }
            runs = runs.plus(outer.get());
        }
        return runs;
    }

    /** How many elements of a run a row has; where all are alike, the whole axis is one run if it is one for each. */
    private Dim inner(BatchOperands operands) {
        List<Dim> extents =
                operands.types().stream().map(type -> type.dim(axis)).toList();
        for (int i = 0; i < operands.count(); i++) {
            if (operands.role(i) instanceof BatchRole.Rows rows) {
                return extents.get(i)
                        .divideExact(rows.outer().times(operands.batch()))
                        .orElseThrow();
            }
        }
        boolean equal = extents.stream().distinct().count() == 1;
        return equal ? extents.getFirst().divideExact(operands.batch()).orElseThrow() : Dim.ONE;
    }

    @Override
    public void differentiate(GradientContext context) {
        Dim start = Dim.ZERO;
        for (int i = 0; i < context.operandCount(); i++) {
            TensorType part = context.type(context.operand(i));
            if (context.wanted(i)) {
                List<Dim> starts = new ArrayList<>(Collections.nCopies(part.rank(), Dim.ZERO));
                starts.set(axis, start);
                Slice slice = new Slice(starts, part.shape().dims());
                context.contribute(i, context.apply(slice, context.upstream()));
            }
            start = start.plus(part.dim(axis));
        }
    }
}
