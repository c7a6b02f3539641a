package dev.remat.ir.plan;

/**
 * One result of a {@link ProblemNode}.
 *
 * @param bytes size of its storage; without meaning for a view, which owns none
 * @param viewOf index of the input value whose storage this value shares, or {@link #NONE}
 * @param inPlaceOf index of the input value whose storage this value may reuse if that storage dies at the step and
 *     is of the same size, or {@link #NONE}
 */
public record ProblemValue(String id, long bytes, int viewOf, int inPlaceOf) {
    /** Stands for "no value" where an index of a value is expected. */
    public static final int NONE = -1;

    public ProblemValue {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a value needs an id");
        }
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes of value '" + id + "' are negative: " + bytes);
        }
        if (viewOf != NONE && inPlaceOf != NONE) {
            throw new IllegalArgumentException("value '" + id + "' cannot be a view and in place at once");
        }
    }

    /** A value with storage of its own. */
    public static ProblemValue of(String id, long bytes) {
        return new ProblemValue(id, bytes, NONE, NONE);
    }

    /** A value that shares the storage of value {@code base}. */
    public static ProblemValue view(String id, int base) {
        return new ProblemValue(id, 0, base, NONE);
    }

    /** A value that reuses the storage of value {@code input} where that is possible. */
    public static ProblemValue inPlace(String id, long bytes, int input) {
        return new ProblemValue(id, bytes, NONE, input);
    }
}
