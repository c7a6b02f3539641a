package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Says that what is drawn for is a piece of a larger tensor: the rows of one micro-batch out of those of the whole
 * batch. The larger tensor is a sequence of runs of {@code block · pieces} elements; piece k, k being the number of the
 * micro-batch, holds elements {@code k · block} to {@code (k + 1) · block} of each. Draws take the words of these
 * elements, so that the pieces put together are what the larger tensor draws, whatever their number.
 *
 * @param block elements of a run that lie in one piece: the extent of its rows times those of the axes inside
 * @param pieces how many micro-batches there are, from 1
 */
public record DrawnRows(Dim block, int pieces) {
    private static final String BLOCK = "block";
    private static final String PIECES = "pieces";

    public DrawnRows {
        Expect.argument(pieces >= 1, "draws for %s pieces", pieces);
    }

    static Optional<DrawnRows> parse(Attributes attributes) {
        return attributes.has(BLOCK) || attributes.has(PIECES)
                ? Optional.of(new DrawnRows(attributes.dim(BLOCK), attributes.integer(PIECES)))
                : Optional.empty();
    }

    static Attributes write(Optional<DrawnRows> rows, Attributes attributes) {
        return rows.map(r -> attributes.with(BLOCK, r.block).with(PIECES, r.pieces))
                .orElse(attributes);
    }

    static Optional<DrawnRows> bind(Optional<DrawnRows> rows, UnaryOperator<Dim> dims) {
        return rows.map(r -> new DrawnRows(dims.apply(r.block), r.pieces));
    }

    /** Refuses a tensor that is known not to consist of whole blocks. */
    static void check(Op op, TensorType drawn) {
        op.drawnRows().ifPresent(rows -> {
            if (rows.block.isConstant() && drawn.shape().isStatic()) {
                long block = rows.block.value();
                boolean whole = block >= 1 && drawn.elements() % block == 0;
                require(whole, "%s of %s is not in whole blocks of %d", op.mnemonic(), drawn, block);
            }
        });
    }

    /**
     * Number in the larger tensor of an element of a piece; the block must be static.
     *
     * @param element number in the piece
     * @param piece from 0 to below {@link #pieces}
     */
    public long whole(long element, int piece) {
        long inside = block.value();
        return element + (element / inside * (pieces - 1) + piece) * inside;
    }
}
