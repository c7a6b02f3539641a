package dev.remat.runtime.check;

/** What differences say of a derivative, from good to bad. */
public enum SlopeVerdict {
    /** They give the same. */
    AGREES,
    /** The loss bends at the point, so that no derivative is right, and this is one between those of both sides. */
    KINK,
    /** They do not tell, for rounding or for bends at every distance. */
    UNDECIDED,
    /**
     * The loss is smooth at the point and has another derivative, or bends there and this one is not between those of
     * both sides; or this one is no finite number.
     */
    FAULT;

    /** The worse of two. */
    SlopeVerdict or(SlopeVerdict other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
