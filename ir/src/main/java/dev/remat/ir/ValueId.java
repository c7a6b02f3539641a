package dev.remat.ir;

/** Dense index of a {@link Value} in its {@link Graph}. */
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
