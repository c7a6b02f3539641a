package dev.remat.ir.op;

import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Numbers the elements of a tensor: {@code (i0, i1, …)} has the number {@code offset + Σ i·stride}.
 *
 * @param strides one for each axis
 */
public record IndexMap(long offset, List<Long> strides) {
    /** The elements of a row, counted from 0. */
    public static final IndexMap ROW = new IndexMap(0, List.of(1L));

    public IndexMap {
        strides = List.copyOf(strides);
        Expect.argument(
                offset >= 0 && strides.stream().allMatch(s -> s >= 0), "offset %s, strides %s", offset, strides);
    }

    static IndexMap parse(Attributes attributes) {
        return new IndexMap(attributes.number("offset"), attributes.longs("strides"));
    }

    Attributes describe(Attributes attributes) {
        return attributes.with("offset", offset).with("strides", strides);
    }

    boolean isFlat() {
        return strides.size() <= 1;
    }

    /** The numbers that the elements have which {@code view} shows of a row numbered by this. */
    IndexMap through(StridedView view) {
        if (!isFlat()) {
            throw new IllegalStateException("a view of a tensor numbered by " + this);
        }
        long step = strides.isEmpty() ? 0 : strides.getFirst();
        return new IndexMap(
                offset + step * view.offset(),
                view.strides().stream().map(stride -> step * stride).toList());
    }

    void expectRank(TensorType type) {
        Expect.argument(strides.size() == type.rank(), "strides %s for %s", strides, type);
    }

    /** Largest number of an element of a static type. */
    long last(TensorType type) {
        long last = offset;
        for (int axis = 0; axis < strides.size(); axis++) {
            last += strides.get(axis) * (type.dim(axis).value() - 1);
        }
        return last;
    }
}
