package dev.remat.compiler.layout;

import java.util.Arrays;

/**
 * A layout being built from the bottom: buffers put so far, and for each of the others the lowest offset that it may
 * still have. Every change is recorded and can be taken back.
 *
 * <p>In each section the buffers still to come are stacked in the order in which they may begin; if that exceeds the
 * capacity, nothing can fit (the earliest-release rule of one machine, which the buffers of a section are). Where they
 * need all that is left of a section, they begin only at heights that some of them, one on another, reach; and the
 * floor of a stretch of sections is for those that can cover it side by side.
 */
final class PartialLayout {
    private static final long NOWHERE = Long.MAX_VALUE;
    private static final int PLACED = 0;
    private static final int LOWEST = 1;
    private static final int LEVEL = 2;
    private static final int CHOICES = 3;
    private static final int SLACK = 4;

    private final Sections sections;
    private final long capacity;
    /** Of each buffer: 1 once it is placed; the lowest offset that it may have, where it lies once it is placed. */
    private final long[] placed;

    private final long[] lowest;
    /**
     * Of each section: the lowest offset that a buffer to come may have, how many may, and what is left above them all
     * if none does.
     */
    private final long[] level;

    private final long[] choices;
    private final long[] slack;
    private final UndoLog log;
    private final FloorCover floor;
    /** Null where the capacity is of too many units. */
    private final ReachableTops tops;
    /**
     * Of each section: how many of its buffers, in the order of their offsets, were placed when they were looked at
     * last. What is placed lies below all that is to come, and later ones above earlier ones, so that these stay first.
     */
    private final int[] settled;

    /** How often something had been taken back then. */
    private final int[] settledAt;

    private int undone;
    /** Sections to look at again, and a range that has them all. */
    private final boolean[] stale;

    private final SectionRange staleRange = new SectionRange();
    private final SectionRange effect = new SectionRange();
    private final SectionRange conflict = new SectionRange();
    private int failed;
    private long work;

    PartialLayout(Sections sections, long capacity) {
        this.sections = sections;
        this.capacity = capacity;
        placed = new long[sections.buffers()];
        lowest = new long[sections.buffers()];
        level = new long[sections.count()];
        choices = new long[sections.count()];
        slack = new long[sections.count()];
        log = new UndoLog(placed, lowest, level, choices, slack);
        floor = new FloorCover(sections, this);
        tops = ReachableTops.affordable(capacity) ? new ReachableTops(capacity) : null;
        settled = new int[sections.count()];
        settledAt = new int[sections.count()];
        stale = new boolean[sections.count()];
    }

    /** Whether the empty layout may be completed. */
    boolean begin() {
        touch(0, sections.count());
        return conclude();
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

    /** Whether what is to come fits above the level of a section. */
    boolean maySkipLevel(int section) {
        return slack[section] >= 0;
    }

    /** Whether a buffer is to come and may lie at the level of a section, which is one of its own. */
    boolean mayLieAtLevel(int buffer, int section) {
        return placed[buffer] == 0 && lowest[buffer] == level[section];
    }

    /** Where the stretch of one level begins that a section belongs to. */
    int stretchFrom(int section) {
        int from = section;
        while (from > 0 && level[from - 1] == level[section]) {
            from--;
        }
        return from;
    }

    /** The section after that stretch. */
    int stretchTo(int section) {
        int to = section + 1;
        while (to < level.length && level[to] == level[section]) {
            to++;
        }
        return to;
    }

    /** Whether some may come on a stretch from one section to before another, and only higher ones beside it. */
    boolean isFloor(int from, int to) {
        return level[from] != NOWHERE
                && (from == 0 || level[from - 1] > level[from])
                && (to == level.length || level[to] > level[from]);
    }

    /** Section that failed last. */
    int failed() {
        return failed;
    }

    /** Sections in which the last change lifted buffers. */
    SectionRange effect() {
        return effect;
    }

    /** Sections that the conclusions of the last change, or its failure, come from. */
    SectionRange conflict() {
        return conflict;
    }

    long work() {
        return work + floor.work();
    }

    int mark() {
        return log.mark();
    }

    void undoTo(int mark) {
        undone++;
        log.undoTo(mark);
    }

    /** Puts a buffer at the lowest offset that it may have; false if nothing can then fit. */
    boolean place(int buffer) {
        conflict.clear();
        effect.clear();
        effect.add(sections.first[buffer], sections.end[buffer]);
        touch(sections.first[buffer], sections.end[buffer]);
        log.set(PLACED, buffer, 1);
        long top = lowest[buffer] + sections.size[buffer];
        for (int s = sections.first[buffer]; s < sections.end[buffer]; s++) {
            int[] live = sections.live(s);
            for (int i = settled(s); i < live.length; i++) {
                if (placed[live[i]] == 0 && lowest[live[i]] < top) {
                    lift(live[i], top);
                }
            }
            work += live.length;
        }
        return conclude();
    }

    /**
     * Rules out that a buffer lies at the level of a section that is lower than its neighbours: what may then lie there
     * rests on a buffer to come beside the section. False if nothing can then fit.
     */
    boolean raise(int section) {
        reach(section);
        effect.clear();
        effect.add(section, section + 1);
        long old = level[section];
        int from = section;
        int to = section + 1;
        long next = NOWHERE;
        for (int b : sections.live(section)) {
            if (mayLieAtLevel(b, section)) {
                from = Math.min(from, sections.first[b]);
                to = Math.max(to, sections.end[b]);
            } else if (placed[b] == 0) {
                next = Math.min(next, lowest[b]);
            }
        }
        include(from, to);
        for (int s = from; s < to; s++) {
            for (int b : sections.live(s)) {
                if (placed[b] == 0 && !sections.covers(b, section)) {
                    next = Math.min(next, lowest[b] + sections.size[b]);
                }
            }
            work += sections.live(s).length;
        }
        if (next == NOWHERE || !maySkipLevel(section)) {
            failed = section;
            return false;
        }
        for (int b : sections.live(section)) {
            if (placed[b] == 0 && lowest[b] == old) {
                lift(b, next);
            }
        }
        return conclude();
    }

    /** Makes the conflict the sections that buffers to come in a section reach. */
    void reach(int section) {
        conflict.clear();
        include(section, section + 1);
    }

    /** Adds to the conflict the sections that buffers to come in some sections reach. */
    private void include(int from, int to) {
        conflict.add(from, to);
        for (int s = from; s < to; s++) {
            for (int b : sections.live(s)) {
                if (placed[b] == 0) {
                    conflict.add(sections.first[b], sections.end[b]);
                }
            }
            work += sections.live(s).length;
        }
    }

    private void touch(int from, int to) {
        Arrays.fill(stale, from, to, true);
        staleRange.add(from, to);
    }

    private void lift(int buffer, long offset) {
        log.set(LOWEST, buffer, sections.aligned(offset, buffer));
        touch(sections.first[buffer], sections.end[buffer]);
    }

    /** Lifts a buffer that no choice was made of. */
    private void concludeLift(int buffer, long offset) {
        lift(buffer, offset);
        effect.add(sections.first[buffer], sections.end[buffer]);
    }

    /** Looks at what is stale until nothing is; false if nothing can then fit. */
    private boolean conclude() {
        SectionRange changed = new SectionRange();
        boolean fits = true;
        while (fits && !staleRange.isEmpty()) {
            changed.add(staleRange);
            fits = stackStale();
            if (fits && staleRange.isEmpty()) {
                fits = coverFloors(changed.from(), changed.to());
            }
        }
        if (!fits) {
            Arrays.fill(stale, false);
            staleRange.clear();
        }
        return fits;
    }

    private boolean stackStale() {
        int from = staleRange.from();
        int to = staleRange.to();
        staleRange.clear();
        for (int s = from; s < to; s++) {
            if (stale[s]) {
                stale[s] = false;
                if (stack(s) > capacity || tops != null && !stackWithoutGaps(s)) {
                    failed = s;
                    include(s, s + 1);
                    return false;
                }
            }
        }
        return true;
    }

    /** Height of the buffers to come in a section, stacked in the order in which they may begin. */
    private long stack(int section) {
        int[] live = sections.live(section);
        int first = settled(section);
        sort(live, first);
        work += live.length;
        while (first < live.length && placed[live[first]] == 1) {
            first++;
        }
        long lowestOf = first == live.length ? NOWHERE : lowest[live[first]];
        long top = first == live.length ? 0 : lowestOf;
        int next = first;
        while (next < live.length && lowest[live[next]] == lowestOf) {
            top += sections.size[live[next++]];
        }
        long aboveLevel = next == first ? 0 : top + 1;
        int lowestCount = next - first;
        for (; next < live.length; next++) {
            long begin = lowest[live[next]];
            long size = sections.size[live[next]];
            top = Math.max(top, begin) + size;
            aboveLevel = Math.max(aboveLevel, begin) + size;
        }
        log.set(LEVEL, section, lowestOf);
        log.set(CHOICES, section, lowestCount);
        log.set(SLACK, section, capacity - aboveLevel);
        return top;
    }

    /** If a section, just stacked, must be full from its level on, lifts its buffers so; false if it cannot be. */
    private boolean stackWithoutGaps(int section) {
        int[] live = sections.live(section);
        long full = level[section];
        for (int b : live) {
            full += placed[b] == 1 ? 0 : sections.size[b];
        }
        if (full != capacity) {
            return true;
        }
        tops.clear(level[section]);
        for (int b : live) {
            if (placed[b] == 0) {
                tops.add(lowest[b], sections.size[b]);
                work += tops.work();
            }
        }
        if (!tops.reaches(capacity)) {
            return false;
        }
        for (int b : live) {
            if (placed[b] == 0 && !tops.reaches(lowest[b])) {
                include(section, section + 1);
                concludeLift(b, tops.next(lowest[b]));
            }
        }
        return true;
    }

    /** How many buffers of a section are placed and come first, whatever is lifted. */
    private int settled(int section) {
        int[] live = sections.live(section);
        int count = settledAt[section] == undone ? settled[section] : 0;
        while (count < live.length && placed[live[count]] == 1) {
            count++;
        }
        settled[section] = count;
        settledAt[section] = undone;
        return count;
    }

    /** By insertion, from an index on: the order of the last time is nearly right. */
    private void sort(int[] live, int first) {
        for (int i = first + 1; i < live.length; i++) {
            int buffer = live[i];
            long key = lowest[buffer];
            int j = i - 1;
            while (j >= first && lowest[live[j]] > key) {
                live[j + 1] = live[j];
                j--;
            }
            live[j + 1] = buffer;
        }
    }

    /** Covers the floors that have or touch some of the sections from one to before another. */
    private boolean coverFloors(int from, int to) {
        int begin = stretchFrom(Math.max(0, stretchFrom(from) - 1));
        while (begin < sections.count() && begin <= to) {
            int end = stretchTo(begin);
            if (isFloor(begin, end) && !coverFloor(begin, end)) {
                return false;
            }
            begin = end;
        }
        return true;
    }

    private boolean coverFloor(int from, int to) {
        boolean coverable = floor.cover(from, to);
        if (!coverable) {
            failed = floor.uncovered();
        }
        if (!coverable || floor.ruledOutCount() > 0) {
            include(from, to);
        }
        for (int i = 0; i < floor.ruledOutCount(); i++) {
            concludeLift(floor.ruledOut(i), level[from] + 1);
        }
        return coverable;
    }
}
