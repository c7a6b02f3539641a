package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * Says that what is drawn for is a piece of a larger tensor: the rows of one micro-batch out of those of the whole
 * batch. The larger tensor is a sequence of runs of {@code block · pieces} elements; piece k, k being the number of the
 * micro-batch, holds elements {@code k · block} to {@code (k + 1) · block} of each. Draws take the words of these
 * elements, so that the pieces put together are what the larger tensor draws, whatever their number.
 *
 * @param block elements of a run that lie in one piece: the extent of its rows times those of the axes inside
 * @param pieces how many micro-batches there are, from 1
 * @param piece which of them it is, from 0, where one graph holds several, and of ranks that of the first, to which
 *     each adds its own; empty where whoever runs it says so
 */
public record DrawnRows(Dim block, int pieces, OptionalInt piece) {
    private static final String BLOCK = "block";
    private static final String PIECES = "pieces";
    private static final String PIECE = "piece";

    public DrawnRows {
        Expect.argument(pieces >= 1, "draws for %s pieces", pieces);
        piece.ifPresent(k -> Expect.argument(k >= 0 && k < pieces, "draws for piece %s of %s", k, pieces));
    }

    /** Of the micro-batch that is run. */
    public DrawnRows(Dim block, int pieces) {
        this(block, pieces, OptionalInt.empty());
    }

    /**
     * The same rows of the micro-batch {@code k}.
     *
     * @throws IllegalArgumentException if there is none of that number
     */
    public DrawnRows withPiece(int k) {
        return new DrawnRows(block, pieces, OptionalInt.of(k));
    }

    static Optional<DrawnRows> parse(Attributes attributes) {
        if (!attributes.has(BLOCK) && !attributes.has(PIECES) && !attributes.has(PIECE)) {
            return Optional.empty();
        }
        DrawnRows rows = new DrawnRows(attributes.dim(BLOCK), attributes.integer(PIECES));
        return Optional.of(attributes.has(PIECE) ? rows.withPiece(attributes.integer(PIECE)) : rows);
    }

    static Attributes write(Optional<DrawnRows> rows, Attributes attributes) {
        return rows.map(r -> r.write(attributes)).orElse(attributes);
    }

    private Attributes write(Attributes attributes) {
        Attributes written = attributes.with(BLOCK, block).with(PIECES, pieces);
        return piece.isPresent() ? written.with(PIECE, piece.getAsInt()) : written;
    }

    static Optional<DrawnRows> bind(Optional<DrawnRows> rows, UnaryOperator<Dim> dims) {
        return rows.map(r -> new DrawnRows(dims.apply(r.block), r.pieces, r.piece));
    }

    static Optional<DrawnRows> atPiece(Optional<DrawnRows> rows, int k) {
        return rows.map(r -> r.withPiece(k));
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
