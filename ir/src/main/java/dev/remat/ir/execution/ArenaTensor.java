package dev.remat.ir.execution;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.RowsOf;
import dev.remat.ir.graph.ShareOf;
import java.util.Optional;

/**
 * A tensor that is there when the step begins: in the arena for the whole step, or at home in a place below it.
 *
 * @param value its id in the plan
 * @param name as in the model: {@code block.0.attention.qkv.weight}
 * @param place number of the place that it lives in, or {@link #ARENA}
 * @param offset first byte in the arena, or in that place
 * @param rows what it is a part of, if that outlives steps in pieces
 * @param share what it is a rank's share of, or the tensor that it is rows of
 */
public record ArenaTensor(
        int value,
        String name,
        TensorType type,
        InputKind kind,
        Initializer initializer,
        int place,
        long offset,
        Location location,
        Optional<RowsOf> rows,
        Optional<ShareOf> share) {
    /** Instead of a place, of what lives in the arena. */
    public static final int ARENA = -1;

    /** @throws IllegalArgumentException if something lives below that is not kept from step to step */
    public ArenaTensor {
        if (place < ARENA || place != ARENA && !kind.isPersistent()) {
            throw new IllegalArgumentException(kind.label() + " '" + name + "' cannot live in place " + place);
        }
        if (rows.isPresent() && (!kind.isPersistent() || type.rank() == 0)) {
            throw new IllegalArgumentException(kind.label() + " '" + name + "' cannot be rows of another tensor");
        }
        if (share.isPresent() && (!kind.isPersistent() || type.rank() != 1)) {
            throw new IllegalArgumentException(kind.label() + " '" + name + "' cannot be a share of others");
        }
    }

    /** A whole tensor in the arena. */
    public ArenaTensor(
            int value,
            String name,
            TensorType type,
            InputKind kind,
            Initializer initializer,
            long offset,
            Location location) {
        this(value, name, type, kind, initializer, ARENA, offset, location, Optional.empty(), Optional.empty());
    }

    /** The same under the id that another plan gives it. */
    public ArenaTensor withValue(int other) {
        return new ArenaTensor(other, name, type, kind, initializer, place, offset, location, rows, share);
    }

    /** Name of the tensor that it is, or is rows of. */
    public String whole() {
        return rows.map(RowsOf::tensor).orElse(name);
    }

    /** A number of the step: the one that counts it, or the seed. */
    public static ArenaTensor ofStep(int value, InputKind kind, long offset) {
        return new ArenaTensor(
                value, kind.label(), TensorType.scalar(DType.I64), kind, Initializer.ZEROS, offset, Location.NONE);
    }

    /** Its first row in the tensor that it is rows of; 0 of a whole one. */
    public long firstRow() {
        return rows.map(RowsOf::from).orElse(0L);
    }

    /** Where the rows of its tensor that follow begin. */
    private long endRow() {
        return firstRow() + type.dim(0).value();
    }

    private TensorType row() {
        return new TensorType(type.dtype(), new Shape(type.shape().dims().subList(1, type.rank())));
    }

    /** Whether this is the next rows of the same tensor; of none, whether it is the first. */
    boolean follows(Optional<ArenaTensor> before) {
        return before.map(rows -> rows.endRow() == firstRow() && rows.row().equals(row()))
                .orElse(firstRow() == 0);
    }

    public boolean isInArena() {
        return place == ARENA;
    }

    /** Its bytes in the arena, or in its place. */
    public ByteRange range() {
        return new ByteRange(offset, type.bytes());
    }
}
