package dev.remat.ir.graph;

/** Dense index of a {@link Node} in its {@link Graph}; also its position in topological order. */
public record NodeId(int index) implements Comparable<NodeId> {
    @Override
    public int compareTo(NodeId other) {
        return Integer.compare(index, other.index);
    }

    @Override
    public String toString() {
        return "#" + index;
    }
}
