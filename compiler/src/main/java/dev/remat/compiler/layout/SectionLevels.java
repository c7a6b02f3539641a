package dev.remat.compiler.layout;

import java.util.Arrays;

/**
 * Of each section of a layout that is built from the bottom: its level, the lowest offset that a buffer to come may
 * have, and what may lie there and above. Kept as buffers are placed and lifted, in time that vectors make short, so
 * that sections have to be stacked only where it is not plain that their buffers fit. Every change is recorded and can
 * be taken back.
 */
final class SectionLevels {
    /** The level where no buffer is to come. */
    static final long NOWHERE = Long.MAX_VALUE;

    private static final int PLACED = 0;
    private static final int LOWEST = 1;
    private static final int LEVEL = 2;
    private static final int CHOICES = 3;
    private static final int AT_LEVEL = 4;
    /** Sections that vectors pass in the time of a comparison. */
    private static final int PASSED_AT_ONCE = 8;

    private final Sections sections;
    private final long capacity;
    /** Of each buffer: 1 once it is placed; the lowest offset that it may have, where it lies once it is placed. */
    private final long[] placed;

    private final long[] lowest;
    /** Of each section: its level, how many buffers to come may lie there, and their bytes. */
    private final long[] level;

    private final long[] choices;
    private final long[] atLevel;
    /** Of each section: the bytes of all that is to come. */
    private final long[] toCome;

    private final UndoLog log;
    /**
     * Of each section: how many of its buffers, in the order of their offsets, were placed when they were looked at
     * last. What is placed lies below all that is to come, and later ones above earlier ones, so that these stay first.
     */
    private final int[] settled;
    /** Scratch: by how many buffers and bytes each section of a range has more than the one before it. */
    private final long[] moreBuffers;

    private final long[] moreBytes;
    private long work;

    SectionLevels(Sections sections, long capacity) {
        this.sections = sections;
        this.capacity = capacity;
        int count = sections.count();
        placed = new long[sections.buffers()];
        lowest = new long[sections.buffers()];
        level = new long[count];
        choices = new long[count];
        atLevel = new long[count];
        toCome = new long[count];
        log = new UndoLog(this::takeBack, placed, lowest, level, choices, atLevel);
        settled = new int[count];
        moreBuffers = new long[count + 1];
        moreBytes = new long[count + 1];
        for (int b = 0; b < sections.buffers(); b++) {
            join(b);
            add(toCome, sections.first[b], sections.end[b], sections.size[b]);
        }
    }

    /** The lowest offset that a buffer may have. */
    long lowest(int buffer) {
        return lowest[buffer];
    }

    boolean isPlaced(int buffer) {
        return placed[buffer] == 1;
    }

    long level(int section) {
        return level[section];
    }

    /** How many buffers may lie at the level. */
    long choices(int section) {
        return choices[section];
    }

    /** Bytes of what is to come in a section. */
    long toCome(int section) {
        return toCome[section];
    }

    /** Whether what is to come fits above the level of a section, where all of it fits from there on. */
    boolean maySkipLevel(int section) {
        return toCome[section] == 0 || level[section] + 1 + toCome[section] <= capacity;
    }

    /** Whether a buffer is to come and may lie at the level of a section, which is one of its own. */
    boolean mayLieAtLevel(int buffer, int section) {
        return placed[buffer] == 0 && lowest[buffer] == level[section];
    }

    int mark() {
        return log.mark();
    }

    void undoTo(int mark) {
        log.undoTo(mark);
    }

    long work() {
        return work;
    }

    /** Puts a buffer at the lowest offset that it may have. */
    void place(int buffer) {
        log.set(PLACED, buffer, 1);
        leave(buffer, lowest[buffer]);
        add(toCome, sections.first[buffer], sections.end[buffer], -sections.size[buffer]);
    }

    /** Makes {@code offset} the lowest that a buffer to come may have, which was lower. */
    void lift(int buffer, long offset) {
        long old = lowest[buffer];
        if (log.set(LOWEST, buffer, offset)) {
            leave(buffer, old);
        }
    }

    /**
     * Enters that {@code offset} is the level of some sections where it is the lowest of a buffer to come, and none is
     * lower.
     *
     * @param buffers those that may have it
     * @param count how many of these
     */
    void levelAt(long offset, int from, int to, int[] buffers, int count) {
        for (int i = 0; i < count; i++) {
            int b = buffers[i];
            if (lowest[b] == offset) {
                int begin = Math.max(from, sections.first[b]);
                int end = Math.min(to, sections.end[b]);
                moreBuffers[begin]++;
                moreBuffers[end]--;
                moreBytes[begin] += sections.size[b];
                moreBytes[end] -= sections.size[b];
            }
        }
        long sum = 0;
        long bytes = 0;
        for (int s = from; s < to; s++) {
            sum += moreBuffers[s];
            bytes += moreBytes[s];
            if (sum > 0) {
                setLevel(s, offset, sum, bytes);
            }
        }
        Arrays.fill(moreBuffers, from, to + 1, 0);
        Arrays.fill(moreBytes, from, to + 1, 0);
        work += to - from;
    }

    /**
     * Whether the buffers to come in a section fit, stacked in the order in which they may begin, if they did before
     * some of them were lifted.
     *
     * @param highest offset that any was lifted to
     */
    boolean fits(int section, long highest) {
        if (choices[section] > 0 && fitsPlainly(section, highest)) {
            return true;
        }
        return stack(section) <= capacity;
    }

    /** By what lies at the level alone: without it, all that was lifted goes on top of the highest. */
    private boolean fitsPlainly(int section, long highest) {
        long from = level[section] + toCome[section];
        return from <= capacity
                && (level[section] >= highest || highest + toCome[section] - atLevel[section] <= capacity);
    }

    /** Height of the buffers to come in a section, stacked in the order in which they may begin; enters its level. */
    private long stack(int section) {
        int[] live = sections.live(section);
        int first = settled(section);
        sort(live, first);
        work += live.length - first;
        while (first < live.length && placed[live[first]] == 1) {
            first++;
        }
        if (first == live.length) {
            setLevel(section, NOWHERE, 0, 0);
            return 0;
        }
        long lowestOf = lowest[live[first]];
        long top = lowestOf;
        int next = first;
        while (next < live.length && lowest[live[next]] == lowestOf) {
            top += sections.size[live[next++]];
        }
        setLevel(section, lowestOf, next - first, top - lowestOf);
        for (; next < live.length; next++) {
            top = Math.max(top, lowest[live[next]]) + sections.size[live[next]];
        }
        return top;
    }

    private void setLevel(int section, long offset, long count, long bytes) {
        log.set(LEVEL, section, offset);
        log.set(CHOICES, section, count);
        log.set(AT_LEVEL, section, bytes);
    }

    /** The buffers of a section in the order of their lowest offsets, those first that are placed. */
    int[] sorted(int section) {
        int[] live = sections.live(section);
        int first = settled(section);
        sort(live, first);
        work += live.length - first;
        return live;
    }

    /** How many buffers of a section are placed and come first, whatever is lifted. */
    int settled(int section) {
        int[] live = sections.live(section);
        int count = settled[section];
        while (count < live.length && placed[live[count]] == 1) {
            count++;
        }
        settled[section] = count;
        return count;
    }

    /** By insertion, from an index on: the order of the last time is nearly right. */
    private void sort(int[] live, int first) {
        long highest = Long.MIN_VALUE;
        for (int i = first; i < live.length; i++) {
            int buffer = live[i];
            long key = lowest[buffer];
            if (key >= highest) {
                highest = key;
                continue;
            }
            int j = i - 1;
            while (j >= first && lowest[live[j]] > key) {
                live[j + 1] = live[j];
                j--;
            }
            live[j + 1] = buffer;
        }
    }

    private void takeBack(int field, int buffer) {
        if (field == PLACED) {
            add(toCome, sections.first[buffer], sections.end[buffer], sections.size[buffer]);
            Arrays.fill(settled, sections.first[buffer], sections.end[buffer], 0);
            join(buffer);
        } else if (field == LOWEST) {
            join(buffer);
        }
    }

    /** Takes a buffer from the levels that it lies at. */
    private void leave(int buffer, long offset) {
        addWhereLevel(offset, buffer, -1);
    }

    /** Adds a buffer to the levels that it lies at. */
    private void join(int buffer) {
        addWhereLevel(lowest[buffer], buffer, 1);
    }

    /**
     * Adds a buffer to the sections of its own whose level is {@code offset}, or takes it from them, without a branch,
     * so that several sections are dealt with at once.
     *
     * @param sign 1 or -1
     */
    private void addWhereLevel(long offset, int buffer, long sign) {
        int from = sections.first[buffer];
        int to = sections.end[buffer];
        long bytes = sign * sections.size[buffer];
        for (int s = from; s < to; s++) {
            long differs = level[s] ^ offset;
            long same = (differs | -differs) >> 63 ^ -1L;
            choices[s] += sign & same;
            atLevel[s] += bytes & same;
        }
        work += 1 + (to - from) / PASSED_AT_ONCE;
    }

    private static void add(long[] field, int from, int to, long amount) {
        for (int s = from; s < to; s++) {
            field[s] += amount;
        }
    }
}
