package dev.remat.compiler.pipeline;

/** A model has fewer places to be cut at than stages ask for. */
public final class TooFewBlocksException extends RuntimeException {
    private final int parts;
    private final int blocks;
    private final boolean marked;

    TooFewBlocksException(int parts, int blocks, boolean marked) {
        super("%d parts of a model that has %d".formatted(parts, blocks));
        this.parts = parts;
        this.blocks = blocks;
        this.marked = marked;
    }

    /** Into how many parts it was to be cut. */
    public int parts() {
        return parts;
    }

    /** Into how many it can be cut. */
    public int blocks() {
        return blocks;
    }

    /** Whether that is by the marks in its text. */
    public boolean marked() {
        return marked;
    }
}
