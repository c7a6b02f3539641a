package dev.remat.ir;

/** Dense index of a value in its graph. */
public record ValueId(int index) implements Comparable<ValueId> {
    @Override
    public int compareTo(ValueId other) {
        return Integer.compare(index, other.index);
    }

    @Override
    public String toString() {
        return "%" + index;
    }
}
