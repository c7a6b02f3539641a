package dev.remat.ir.execution;

import dev.remat.ir.plan.Lane;
import java.util.List;

/**
 * A copy between the arena and a place below it. Copies of one lane and place run one after another in the order in
 * which they begin, beside kernels and the copies of other lanes.
 *
 * @param lane {@link Lane#STORE} copies out of the arena, {@link Lane#FETCH} into it
 * @param place number of the place
 * @param value the tensor in the arena: what is stored, or the copy that is fetched
 * @param stored the tensor that the place holds; of a store the same as {@code value}
 * @param name of the tensor, for people
 * @param range of the arena: the tensor, and what fills up its last block where a place takes whole blocks alone
 * @param offset of as many bytes in the place
 * @param waits numbers of transfers in other lanes that must have ended, ascending
 * @param frees whether nothing reads again what it is copied from, once it has ended
 */
public record Transfer(
        Lane lane,
        int place,
        int value,
        int stored,
        String name,
        ByteRange range,
        long offset,
        List<Integer> waits,
        boolean frees) {
    public Transfer {
        waits = List.copyOf(waits);
        if (lane == Lane.COMPUTE) {
            throw new IllegalArgumentException("'" + name + "' is moved by the lane of kernels");
        }
        if (place < 0 || offset < 0 || offset > Long.MAX_VALUE - range.bytes()) {
            throw new IllegalArgumentException("'" + name + "' is moved to byte " + offset + " of place " + place);
        }
        if (lane == Lane.STORE && value != stored) {
            throw new IllegalArgumentException("'" + name + "' is stored as something else");
        }
    }

    /** The same with other waits, and freeing or not. */
    public Transfer with(List<Integer> otherWaits, boolean freeing) {
        return new Transfer(lane, place, value, stored, name, range, offset, otherWaits, freeing);
    }

    /** Its bytes in the place. */
    public ByteRange below() {
        return new ByteRange(offset, range.bytes());
    }

    /** Number of its lane among those of the plan: stores to each place, and fetches from it. */
    public int laneNumber() {
        return 2 * place + (isStore() ? 0 : 1);
    }

    public boolean isStore() {
        return lane == Lane.STORE;
    }

    /** What it reads, of the arena or of the place. */
    public ByteRange source() {
        return isStore() ? range : below();
    }

    /** What it writes, of the place or of the arena. */
    public ByteRange target() {
        return isStore() ? below() : range;
    }
}
