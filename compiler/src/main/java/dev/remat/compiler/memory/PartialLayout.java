package dev.remat.compiler.memory;

import java.util.Arrays;

/**
 * A layout being built from the bottom: buffers put so far, and for each of the others the lowest offset that it may still
 * have. Every change is recorded and can be taken back.
 *
 * <p>In each section the buffers still to come are stacked in the order in which they may begin; if that exceeds the
 * capacity, nothing can fit (the earliest-release rule of one machine, which the buffers of a section are).
 */
final class PartialLayout {
    private static final long NOWHERE = Long.MAX_VALUE;
    private static final int LOWEST = 0;
    private static final int LEVEL = 1;
    private static final int CHOICES = 2;
    private static final int SLACK = 3;

    private final Sections sections;
    private final long capacity;
    private final boolean[] placed;
    /** Of each buffer the lowest offset that it may have; where it lies once it is placed. */
    private final long[] lowest;
    /** Of each section: the lowest offset that a buffer to come may have, how many may, what is left above them all. */
    private final long[] level;
    private final long[] choices;
    private final long[] slack;
    private final long[][] fields;
    private long[] trail = new long[1 << 12];
    private int recorded;
    private long work;

    /** Section that failed last, and sections that what is to come in it reaches. */
    private int failed;
    private int conflictFrom;
    private int conflictTo;

    PartialLayout(Sections sections, long capacity) {
        this.sections = sections;
        this.capacity = capacity;
        placed = new boolean[sections.buffers()];
        lowest = new long[sections.buffers()];
        level = new long[sections.count()];
        choices = new long[sections.count()];
        slack = new long[sections.count()];
        fields = new long[][] {lowest, level, choices, slack};
    }

    /** Whether the empty layout may be completed. */
    boolean begin() {
        return assess(0, sections.count());
    }

    boolean isPlaced(int buffer) {
        return placed[buffer];
    }

    long offset(int buffer) {
        return lowest[buffer];
    }

    /** Lowest offset at which a buffer to come may lie in a section; {@link Long#MAX_VALUE} where none is to come. */
    long level(int section) {
        return level[section];
    }

    /** How many buffers may lie at the level. */
    long choices(int section) {
        return choices[section];
    }

    long slack(int section) {
        return slack[section];
    }

    int failed() {
        return failed;
    }

    int conflictFrom() {
        return conflictFrom;
    }

    int conflictTo() {
        return conflictTo;
    }

    long work() {
        return work;
    }

    int mark() {
        return recorded;
    }

    void undoTo(int mark) {
        while (recorded > mark) {
            long old = trail[--recorded];
            long key = trail[--recorded];
            if (key < 0) {
                placed[(int) ~key] = false;
            } else {
                fields[(int) (key >>> 32)][(int) key] = old;
            }
        }
    }

    /** Puts a buffer at the lowest offset that it may have; false if nothing can then fit. */
    boolean place(int buffer) {
        record(~(long) buffer, 0);
        placed[buffer] = true;
        long top = lowest[buffer] + sections.size[buffer];
        int from = sections.first[buffer];
        int to = sections.end[buffer];
        for (int s = sections.first[buffer]; s < sections.end[buffer]; s++) {
            for (int other : sections.live(s)) {
                if (!placed[other] && lowest[other] < top) {
                    set(LOWEST, other, sections.aligned(top, other));
                    from = Math.min(from, sections.first[other]);
                    to = Math.max(to, sections.end[other]);
                }
            }
            work += sections.live(s).length;
        }
        return assess(from, to);
    }

    /**
     * Rules out that a buffer lies at the level of a section that is lower than its neighbours: what may then lie there
     * rests on a buffer to come beside the section. False if nothing can then fit.
     */
    boolean raise(int section) {
        long old = level[section];
        reach(section);
        if (stack(section, old) > capacity) {
            failed = section;
            return false;
        }
        int from = section;
        int to = section + 1;
        long next = NOWHERE;
        for (int b : sections.live(section)) {
            if (!placed[b] && lowest[b] == old) {
                from = Math.min(from, sections.first[b]);
                to = Math.max(to, sections.end[b]);
            } else if (!placed[b]) {
                next = Math.min(next, lowest[b]);
            }
        }
        for (int s = from; s < to; s++) {
            for (int b : sections.live(s)) {
                if (!placed[b]) {
                    include(b);
                    if (!sections.covers(b, section)) {
                        next = Math.min(next, lowest[b] + sections.size[b]);
                    }
                }
            }
            work += sections.live(s).length;
        }
        if (next == NOWHERE) {
            failed = section;
            return false;
        }
        int reasonFrom = conflictFrom;
        int reasonTo = conflictTo;
        for (int b : sections.live(section)) {
            if (!placed[b] && lowest[b] == old) {
                set(LOWEST, b, sections.aligned(next, b));
            }
        }
        boolean fits = assess(from, to);
        conflictFrom = fits ? reasonFrom : Math.min(conflictFrom, reasonFrom);
        conflictTo = fits ? reasonTo : Math.max(conflictTo, reasonTo);
        return fits;
    }

    /** Sets the conflict to the sections that buffers to come in a section reach. */
    void reach(int section) {
        conflictFrom = section;
        conflictTo = section + 1;
        for (int b : sections.live(section)) {
            if (!placed[b]) {
                include(b);
            }
        }
    }

    private void include(int buffer) {
        conflictFrom = Math.min(conflictFrom, sections.first[buffer]);
        conflictTo = Math.max(conflictTo, sections.end[buffer]);
    }

    private boolean assess(int from, int to) {
        for (int s = from; s < to; s++) {
            long top = stack(s, -1);
            if (top > capacity) {
                failed = s;
                reach(s);
                return false;
            }
            set(SLACK, s, capacity - top);
        }
        return true;
    }

    /**
     * Height of the buffers to come in a section, stacked in the order in which they may begin.
     *
     * @param closed offset that none of them may have; -1 to record level and choices instead
     */
    private long stack(int section, long closed) {
        int[] live = sections.live(section);
        sort(live);
        work += live.length;
        long top = 0;
        long lowestOf = NOWHERE;
        int lowestCount = 0;
        for (int b : live) {
            if (placed[b]) {
                continue;
            }
            if (lowestCount == 0) {
                lowestOf = lowest[b];
            }
            lowestCount += lowest[b] == lowestOf ? 1 : 0;
            long begin = lowest[b] == closed ? closed + 1 : lowest[b];
            top = Math.max(top, begin) + sections.size[b];
        }
        if (closed < 0) {
            set(LEVEL, section, lowestOf);
            set(CHOICES, section, lowestCount);
        }
        return top;
    }

    /** By insertion: the order of the last time is nearly right. */
    private void sort(int[] live) {
        for (int i = 1; i < live.length; i++) {
            int buffer = live[i];
            long key = lowest[buffer];
            int j = i - 1;
            while (j >= 0 && lowest[live[j]] > key) {
                live[j + 1] = live[j];
                j--;
            }
            live[j + 1] = buffer;
        }
    }

    private void set(int field, int index, long value) {
        if (fields[field][index] != value) {
            record((long) field << 32 | index, fields[field][index]);
            fields[field][index] = value;
        }
    }

    private void record(long key, long old) {
        if (recorded + 2 > trail.length) {
            trail = Arrays.copyOf(trail, 2 * trail.length);
        }
        trail[recorded++] = key;
        trail[recorded++] = old;
    }
}
