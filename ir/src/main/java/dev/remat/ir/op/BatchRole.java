package dev.remat.ir.op;

import dev.remat.ir.Dim;
import java.util.OptionalInt;
import java.util.function.IntUnaryOperator;

/**
 * What a value that is computed from one of m micro-batches is to the value that the whole batch would give. The batch
 * is a symbol of the shapes; b rows of it, in order, are a micro-batch, and m·b are the whole, as in gradient
 * accumulation (Huang et al., 2019). Each operation knows the roles of its results: {@link Op#batchRoles}.
 *
 * <p>One thing is exempt: where rows depend on each other through the statistics of {@link Own} alone, they are those
 * of a batch that is normalized by micro-batches, and not those of one that is normalized as a whole.
 */
public sealed interface BatchRole {
    /** The same in every micro-batch and in the whole batch; its shape does not have the symbol. */
    record Free() implements BatchRole {}

    /**
     * The micro-batch's share of the rows. Axis {@code axis}, the only one whose extent has the symbol, stands for axes
     * {@code [outer, batch, inner]} in row-major order; the whole is the values of all micro-batches, in order, one
     * after the other along the middle one. In memory it is therefore a sequence of runs, as many as {@code outer}
     * times the extents in front of the axis, and each run is the runs of the micro-batches one after the other.
     *
     * <p>{@code [B, T, D]} is {@code Rows(0, 1)} and still is as {@code [B·T, D]}; {@code [T, B, D]} is
     * {@code Rows(1, 1)}, and as {@code [T·B, D]} it is {@code Rows(0, T)}.
     *
     * @param outer how many runs the axis has, which does not have the symbol
     */
    record Rows(int axis, Dim outer) implements BatchRole {}

    /**
     * Elements that do not depend on where they lie along {@code axis}, the only one whose extent has the symbol, such
     * as a bias that is repeated for each row: {@code Rows(axis, outer)} of whatever {@code outer} it meets.
     */
    record Alike(int axis) implements BatchRole {}

    /**
     * The whole is the sum of the micro-batches' values. A result alone: whoever asks multiplies the value by m at once
     * and goes on with {@link Mean}.
     */
    record Sum() implements BatchRole {}

    /** The whole is the mean of the micro-batches' values. */
    record Mean() implements BatchRole {}

    /**
     * Mean or variance that the micro-batch has of its own, as {@link NormStatistics} gives them over the batch;
     * {@link Normalize} and {@link RunningStatistics} alone may read them.
     */
    record Own() implements BatchRole {}

    /** The axis along which the micro-batch has a part of the whole; empty where it has no part. */
    default OptionalInt rowAxis() {
        return switch (this) {
            case Rows rows -> OptionalInt.of(rows.axis());
            case Alike alike -> OptionalInt.of(alike.axis());
            case Free _, Sum _, Mean _, Own _ -> OptionalInt.empty();
        };
    }

    /** Whether the rows lie along {@code axis}. */
    default boolean isAlong(int axis) {
        return rowAxis().equals(OptionalInt.of(axis));
    }

    /** The role after the axes were put elsewhere. */
    default BatchRole moved(IntUnaryOperator axes) {
        return switch (this) {
            case Rows rows -> new Rows(axes.applyAsInt(rows.axis()), rows.outer());
            case Alike alike -> new Alike(axes.applyAsInt(alike.axis()));
            case Free _, Sum _, Mean _, Own _ -> this;
        };
    }

    /** Rows that are alike no longer are: one run of rows that differ. */
    default BatchRole unlike() {
        return this instanceof Alike(int axis) ? new Rows(axis, Dim.ONE) : this;
    }
}
