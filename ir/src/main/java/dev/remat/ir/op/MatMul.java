package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.OptionalInt;

/**
 * Batched matrix product: {@code a [.., M, K] · b [.., K, N] → [.., M, N]} with equal batch extents in front; a flag
 * says that an operand is stored with its last two axes exchanged. A matrix {@code b [K, N]} multiplies every row of a
 * larger {@code a}, which is then not exchanged. 16-bit floats accumulate in f32.
 *
 * <p>A product may be a chunk of another: of some of its rows, or of some of those that it sums over where
 * {@code a [K, M]} and {@code b [K, N]} are both stored by them. A kernel then takes its tiles from the whole, so that
 * the chunks put together have the bits of that. A sum over rows goes on from that of the chunk before,
 * {@code (a, b, sum [M, N])}, which is as wide as sums are.
 *
 * @param wide whether sums stay f32 (f64 of f64) instead of being rounded to the operands' dtype
 * @param wholeRows rows of the product that this is a chunk of; 0 where it is whole
 */
public record MatMul(boolean transposeA, boolean transposeB, boolean wide, long wholeRows)
        implements Op, Differentiable {
    private static final String WHOLE_ROWS = "whole_rows";

    public MatMul {
        Expect.argument(wholeRows >= 0, "a chunk of %s rows", wholeRows);
    }

    public MatMul(boolean transposeA, boolean transposeB) {
        this(transposeA, transposeB, false);
    }

    public MatMul(boolean transposeA, boolean transposeB, boolean wide) {
        this(transposeA, transposeB, wide, 0);
    }

    public static MatMul parse(Attributes attributes) {
        return new MatMul(
                attributes.flag("transpose_a"),
                attributes.flag("transpose_b"),
                attributes.isWide(),
                attributes.has(WHOLE_ROWS) ? attributes.number(WHOLE_ROWS) : 0);
    }

    /** A chunk of this product, which has so many rows. */
    public MatMul chunkOf(long rows) {
        return new MatMul(transposeA, transposeB, wide || sumsRows(), rows);
    }

    /** Whether both operands are matrices that are stored by the rows that it sums over. */
    public boolean sumsRows() {
        return transposeA && !transposeB;
    }

    @Override
    public String mnemonic() {
        return "matmul";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("transpose_a", transposeA)
                .with("transpose_b", transposeB)
                .withWide(wide)
                .with(WHOLE_ROWS, wholeRows, wholeRows > 0);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, operands.size() == 3 ? 3 : 2);
        TensorType a = operands.get(0);
        TensorType b = operands.get(1);
        Expect.floating(this, a);
        int rank = a.rank();
        boolean matrices = rank >= 2 && a.dtype() == b.dtype() && (b.rank() == rank || sharesMatrix(a, b));
        require(matrices, "matmul takes operands of one dtype and one rank from 2 on, got %s and %s", a, b);
        List<Dim> batch = a.shape().dims().subList(0, rank - 2);
        boolean sameBatch = sharesMatrix(a, b) || batch.equals(b.shape().dims().subList(0, rank - 2));
        require(sameBatch, "matmul takes equal batch extents, got %s and %s", a, b);
        Dim inner = a.dim(transposeA ? rank - 2 : rank - 1);
        Dim other = b.dim(transposeB ? b.rank() - 1 : b.rank() - 2);
        require(inner.equals(other), "matmul cannot sum over extents %s and %s of %s and %s", inner, other, a, b);
        Shape shape = a.shape()
                .with(rank - 2, a.dim(transposeA ? rank - 1 : rank - 2))
                .with(rank - 1, b.dim(transposeB ? b.rank() - 2 : b.rank() - 1));
        TensorType result = Expect.sum(a, wide).with(shape);
        if (operands.size() == 3) {
            require(wholeRows > 0 && wide && sumsRows() && rank == 2, "matmul goes on with no sum but that of chunks");
            Expect.same(this, result, operands.get(2));
        }
        return List.of(result);
    }

    /** A sum over the batch where it is what the product sums over; else one operand alone brings rows outside. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        int rank = operands.type(0).rank();
        BatchRole a = operands.role(0);
        BatchRole b = operands.role(1);
        if (a.isAlong(transposeA ? rank - 2 : rank - 1)) {
            BatchOperands.paired(a.moved(_ -> 0), b.moved(_ -> 0));
            return List.of(new BatchRole.Sum());
        } else if (b.rowAxis().isPresent() && a.rowAxis().orElse(-1) >= rank - 2) {
            throw new BatchRoleException("compares rows of the batch with each other");
        }
        boolean columns = a.rowAxis().isEmpty();
        return List.of(operands.product().moved(axis -> columns ? rank - 1 : Math.min(axis, rank - 2)));
    }

    /** Of the sum that it goes on with. */
    @Override
    public OptionalInt computesInPlaceOf(int operands) {
        return operands == 3 ? OptionalInt.of(2) : OptionalInt.empty();
    }

    /** A multiplication and an addition for each term. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        TensorType a = operands.getFirst();
        long inner = a.dim(transposeA ? a.rank() - 2 : a.rank() - 1).value();
        return Math.multiplyExact(2 * inner, results.getFirst().elements());
    }

    /** The gradient by the second operand comes first: where that is a weight, its update can free it at once. */
    @Override
    public void differentiate(GradientContext context) {
        ValueId a = context.operand(0);
        ValueId b = context.operand(1);
        ValueId dy = context.cast(context.upstream(), context.type(a).dtype());
        boolean shared = sharesMatrix(context.type(a), context.type(b));
        if (context.operandCount() == 3) {
            context.contribute(2, context.upstream());
        }
        if (context.wanted(1)) {
            ValueId rowsOfA = shared ? rows(context, a) : a;
            ValueId rowsOfDy = shared ? rows(context, dy) : dy;
            context.contribute(
                    1,
                    transposeB
                            ? context.apply(new MatMul(true, transposeA, context.wide(1)), rowsOfDy, rowsOfA)
                            : context.apply(new MatMul(!transposeA, false, context.wide(1)), rowsOfA, rowsOfDy));
        }
        if (context.wanted(0)) {
            context.contribute(
                    0,
                    transposeA
                            ? context.apply(new MatMul(transposeB, true, context.wide(0)), b, dy)
                            : context.apply(new MatMul(false, !transposeB, context.wide(0)), dy, b));
        }
    }

    private boolean sharesMatrix(TensorType a, TensorType b) {
        return b.rank() == 2 && a.rank() > 2 && !transposeA;
    }

    /** All leading axes as one. */
    private static ValueId rows(GradientContext context, ValueId x) {
        Shape shape = context.type(x).shape();
        Dim width = shape.dims().getLast();
        Dim rows = new Shape(shape.dims().subList(0, shape.rank() - 1)).elements();
        return context.reshape(x, new Shape(List.of(rows, width)));
    }
}
