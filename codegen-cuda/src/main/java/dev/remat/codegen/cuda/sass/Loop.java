package dev.remat.codegen.cuda.sass;

/**
 * A loop as it lies in memory: from the instruction that every round begins with to the branch that leads back to it.
 * What the compiler has moved out of the way, such as the slow path of a division, lies outside, though rounds may go
 * through it.
 *
 * @param first its first instruction
 * @param end the instruction behind its last
 */
public record Loop(int first, int end) {
    public boolean contains(int instruction) {
        return instruction >= first && instruction < end;
    }

    /** Whether the other loop is a part of this one and not the same. */
    public boolean encloses(Loop other) {
        return first <= other.first && end >= other.end && !equals(other);
    }
}
