package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.BatchRole.Alike;
import dev.remat.ir.op.BatchRole.Free;
import dev.remat.ir.op.BatchRole.Mean;
import dev.remat.ir.op.BatchRole.Own;
import dev.remat.ir.op.BatchRole.Rows;
import dev.remat.ir.op.BatchRole.Sum;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * What the rule of an operation is asked about, {@link Op#batchRoles}: the operands of one node of a forward graph in
 * which the batch is still a symbol. Whoever wants the roles of a graph goes through its nodes in order, from data,
 * which is {@code Rows(0, 1)}, and from parameters and state, which are {@link Free}:
 *
 * <pre>{@code
 * List<BatchRole> roles = new BatchOperands(batch, operandRoles, operandTypes, resultTypes).rolesOf(node.op());
 * }</pre>
 *
 * A result that is a {@link Sum} is multiplied by the number of micro-batches there and then, and its readers are told
 * {@link Mean}. A {@link BatchRoleException} says in words why the operation stands in the way, and which operand to
 * compute over the whole batch beforehand, where that would help.
 *
 * @param batch the symbol that stands for the rows of the batch
 * @param roles of the operands, none of them a {@link Sum}
 * @param types of the operands, as {@code results} by shapes with the symbol; other extents are numbers or symbols
 * @param results types of the results
 */
public record BatchOperands(Dim batch, List<BatchRole> roles, List<TensorType> types, List<TensorType> results) {
    public BatchOperands {
        roles = List.copyOf(roles);
        types = List.copyOf(types);
        results = List.copyOf(results);
        Expect.argument(roles.size() == types.size(), "%s roles for operands %s", roles.size(), types);
        Expect.argument(!roles.contains(new Sum()), "a sum over the batch among the operands: %s", roles);
        for (int i = 0; i < roles.size(); i++) {
            Expect.argument(fits(roles.get(i), types.get(i), batch), "%s of %s", roles.get(i), types.get(i));
        }
    }

    /**
     * The roles of the results, one each.
     *
     * @throws BatchRoleException if they have none
     * @throws IllegalStateException if {@code op} does not belong in a forward graph
     */
    public List<BatchRole> rolesOf(Op op) {
        List<BatchRole> found = op.batchRoles(this);
        for (int i = 0; i < results.size(); i++) {
            TensorType type = results.get(i);
            if (axesOfBatch(type, batch).length > 1) {
                throw new BatchRoleException("compares rows of the batch with each other");
            } else if (!fits(found.get(i), type, batch)) {
                throw new BatchRoleException("makes " + type + ", which micro-batches do not share evenly");
            }
        }
        return found;
    }

    private static int[] axesOfBatch(TensorType type, Dim batch) {
        return IntStream.range(0, type.rank())
                .filter(axis -> type.dim(axis).mentions(batch))
                .toArray();
    }

    private static boolean fits(BatchRole role, TensorType type, Dim batch) {
        int[] axes = axesOfBatch(type, batch);
        return switch (role) {
            case Rows(int axis, Dim outer) ->
                axes.length == 1 && axes[0] == axis && shares(type.dim(axis), outer, batch);
            case Alike(int axis) -> axes.length == 1 && axes[0] == axis && shares(type.dim(axis), Dim.ONE, batch);
            case Free _, Sum _, Mean _, Own _ -> axes.length == 0;
        };
    }

    private static boolean shares(Dim extent, Dim outer, Dim batch) {
        return extent.divideExact(outer.times(batch))
                .map(inner -> !inner.mentions(batch))
                .orElse(false);
    }

    int count() {
        return roles.size();
    }

    BatchRole role(int operand) {
        return roles.get(operand);
    }

    TensorType type(int operand) {
        return types.get(operand);
    }

    /** The role of a tensor whose elements do not depend on its rows. */
    BatchRole alike(TensorType type) {
        int[] axes = axesOfBatch(type, batch);
        return axes.length == 0 ? new Free() : new Alike(axes[0]);
    }

    /** The axis of the only result whose extent has the symbol. */
    OptionalInt resultAxis() {
        return alike(results.getFirst()).rowAxis();
    }

    /** The common role of all operands, by an operation that is linear in them together, up to a constant. */
    BatchRole linear() {
        return linear(all());
    }

    /** The common role of some operands, by an operation that is linear in them together, up to a constant. */
    BatchRole linear(int... operands) {
        BatchRole layout = layout(operands);
        OptionalInt mean = lastMean(operands);
        if (mean.isPresent() && layout.rowAxis().isPresent()) {
            throw new BatchRoleException("combines rows of the batch with a mean over it", mean.getAsInt());
        }
        return mean.isPresent() ? new Mean() : layout;
    }

    /** The common role of all operands, by an operation that is linear in each of them, up to a constant. */
    BatchRole product() {
        long means = roles.stream().filter(Mean.class::isInstance).count();
        if (means > 1) {
            throw new BatchRoleException(
                    "multiplies means over the batch with each other",
                    lastMean(all()).getAsInt());
        }
        return linear();
    }

    /** The common role of all operands, none of which may be a mean. */
    BatchRole nonlinear(String reason) {
        return nonlinear(reason, all());
    }

    /** The common role of some operands, none of which may be a mean: {@code reason} is what happens to it. */
    BatchRole nonlinear(String reason, int... operands) {
        BatchRole layout = layout(operands);
        OptionalInt mean = lastMean(operands);
        if (mean.isPresent()) {
            throw new BatchRoleException(reason, mean.getAsInt());
        }
        return layout;
    }

    /** Refuses rows along axes of an operand that the operation does not take one by one. */
    void apart(int operand, String reason, int... mixed) {
        if (IntStream.of(mixed).anyMatch(role(operand)::isAlong)) {
            throw new BatchRoleException(reason);
        }
    }

    /** Refuses an operand that has rows. */
    void unbatched(int operand, String reason) {
        if (role(operand).rowAxis().isPresent()) {
            throw new BatchRoleException(reason);
        }
    }

    /** The role of two values whose rows meet one by one: both have rows, or the other has none. */
    static BatchRole paired(BatchRole a, BatchRole b) {
        if (a.equals(b) || b instanceof Free) {
            return a;
        } else if (a instanceof Free) {
            return b;
        } else if (a.rowAxis().equals(b.rowAxis()) && (a instanceof Alike || b instanceof Alike)) {
            return a instanceof Alike ? b : a;
        }
        throw new BatchRoleException("puts rows of the batch beside others of it");
    }

    private int[] all() {
        return IntStream.range(0, count()).toArray();
    }

    /** The common role of operands, where means count as free. */
    private BatchRole layout(int... operands) {
        BatchRole layout = new Free();
        for (int operand : operands) {
            if (role(operand) instanceof Own) {
                throw new BatchRoleException("reads statistics of the batch in another way than to normalize it");
            }
            layout = role(operand) instanceof Mean ? layout : paired(layout, role(operand));
        }
        return layout;
    }

    private OptionalInt lastMean(int... operands) {
        return IntStream.of(operands)
                .filter(operand -> role(operand) instanceof Mean)
                .reduce((_, last) -> last);
    }
}
