package dev.remat.compiler.layout;

/** Sections from one to before another; what is added in between belongs to it too. */
final class SectionRange {
    private int from = Integer.MAX_VALUE;
    private int to;

    void clear() {
        from = Integer.MAX_VALUE;
        to = 0;
    }

    void add(int first, int end) {
        from = Math.min(from, first);
        to = Math.max(to, end);
    }

    void add(SectionRange other) {
        add(other.from, other.to);
    }

    boolean isEmpty() {
        return from >= to;
    }

    boolean meets(SectionRange other) {
        return from < other.to && other.from < to;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }
}
