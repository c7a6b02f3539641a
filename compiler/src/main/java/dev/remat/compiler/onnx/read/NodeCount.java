package dev.remat.compiler.onnx.read;

/** Counts the nodes of a file while it is read. */
final class NodeCount {
    static final long MOST = 1_000_000;

    private long nodes;

    void add(Wire in) {
        if (++nodes > MOST) {
            throw in.damaged("the file has more than " + MOST + " nodes");
        }
    }
}
