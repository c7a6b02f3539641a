package dev.remat.ir.plan;

/** A planning problem that contradicts itself; names the node at fault. */
public class InvalidProblemException extends RuntimeException {
    private final int node;

    public InvalidProblemException(int node, String message) {
        super(message);
        this.node = node;
    }

    /** Index of the node at fault, or -1 where the problem as a whole is. */
    public int node() {
        return node;
    }
}
