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
    private final Sections sections;
    private final long capacity;
    private final SectionLevels levels;
    private final FloorCover floor;
    /** Null where the capacity is of too many units. */
    private final ReachableTops tops;
    /** Sections to look at again, and a range that has them all. */
    private final boolean[] stale;

    private final SectionRange staleRange = new SectionRange();
    private final SectionRange effect = new SectionRange();
    private final SectionRange conflict = new SectionRange();
    /** Scratch: buffers that meet some sections. */
    private final int[] met;

    private int metCount;
    /** The highest offset that a buffer was lifted to since all sections were looked at. */
    private long highest;

    private int failed;
    private long work;

    PartialLayout(Sections sections, long capacity) {
        this.sections = sections;
        this.capacity = capacity;
        levels = new SectionLevels(sections, capacity);
        floor = new FloorCover(sections, this);
        tops = ReachableTops.affordable(capacity) ? new ReachableTops(capacity) : null;
        stale = new boolean[sections.count()];
        met = new int[sections.buffers()];
    }

    /** Whether the empty layout may be completed. */
    boolean begin() {
        touch(0, sections.count());
        return conclude();
    }

    long offset(int buffer) {
        return levels.lowest(buffer);
    }

    /** Lowest offset at which a buffer to come may lie in a section; {@link Long#MAX_VALUE} where none is to come. */
    long level(int section) {
        return levels.level(section);
    }

    /** How many buffers may lie at the level. */
    long choices(int section) {
        return levels.choices(section);
    }

    /** Whether what is to come fits above the level of a section. */
    boolean maySkipLevel(int section) {
        return levels.maySkipLevel(section);
    }

    /** Whether a buffer is to come and may lie at the level of a section, which is one of its own. */
    boolean mayLieAtLevel(int buffer, int section) {
        return levels.mayLieAtLevel(buffer, section);
    }

    /** Where the stretch of one level begins that a section belongs to. */
    int stretchFrom(int section) {
        int from = section;
        while (from > 0 && level(from - 1) == level(section)) {
            from--;
        }
        return from;
    }

    /** The section after that stretch. */
    int stretchTo(int section) {
        int to = section + 1;
        while (to < sections.count() && level(to) == level(section)) {
            to++;
        }
        return to;
    }

    /** Whether some may come on a stretch from one section to before another, and only higher ones beside it. */
    boolean isFloor(int from, int to) {
        return level(from) != SectionLevels.NOWHERE
                && (from == 0 || level(from - 1) > level(from))
                && (to == sections.count() || level(to) > level(from));
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
        return work + levels.work() + floor.work();
    }

    int mark() {
        return levels.mark();
    }

    void undoTo(int mark) {
        levels.undoTo(mark);
    }

    /** Puts a buffer at the lowest offset that it may have; false if nothing can then fit. */
    boolean place(int buffer) {
        int from = sections.first[buffer];
        int to = sections.end[buffer];
        conflict.clear();
        effect.clear();
        effect.add(from, to);
        touch(from, to);
        levels.place(buffer);
        long top = levels.lowest(buffer) + sections.size[buffer];
        meet(from, to);
        for (int i = 0; i < metCount; i++) {
            if (levels.lowest(met[i]) < top) {
                lift(met[i], top);
            }
        }
        if (sections.freelyStacked) {
            levels.levelAt(top, from, to, met, metCount);
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
        long old = level(section);
        int from = section;
        int to = section + 1;
        for (int b : sections.live(section)) {
            if (mayLieAtLevel(b, section)) {
                from = Math.min(from, sections.first[b]);
                to = Math.max(to, sections.end[b]);
            }
        }
        include(from, to);
        long next = SectionLevels.NOWHERE;
        for (int i = 0; i < metCount; i++) {
            int b = met[i];
            long offset = levels.lowest(b);
            if (!sections.covers(b, section)) {
                next = Math.min(next, offset + sections.size[b]);
            } else if (offset != old) {
                next = Math.min(next, offset);
            }
        }
        if (next == SectionLevels.NOWHERE || !maySkipLevel(section)) {
            failed = section;
            return false;
        }
        for (int i = 0; i < metCount; i++) {
            if (sections.covers(met[i], section) && levels.lowest(met[i]) == old) {
                lift(met[i], next);
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
        meet(from, to);
        for (int i = 0; i < metCount; i++) {
            conflict.add(sections.first[met[i]], sections.end[met[i]]);
        }
    }

    /** Collects the buffers to come in some sections. */
    private void meet(int from, int to) {
        metCount = 0;
        int[] live = sections.live(from);
        int settled = levels.settled(from);
        for (int i = settled; i < live.length; i++) {
            meet(live[i]);
        }
        work += live.length - settled;
        for (int s = from + 1; s < to; s++) {
            for (int b : sections.beginning(s)) {
                meet(b);
            }
            work += sections.beginning(s).length;
        }
    }

    private void meet(int buffer) {
        if (!levels.isPlaced(buffer)) {
            met[metCount++] = buffer;
        }
    }

    private void touch(int from, int to) {
        Arrays.fill(stale, from, to, true);
        staleRange.add(from, to);
    }

    private void lift(int buffer, long offset) {
        long aligned = sections.aligned(offset, buffer);
        highest = Math.max(highest, aligned);
        levels.lift(buffer, aligned);
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
        highest = 0;
        return fits;
    }

    private boolean stackStale() {
        int from = staleRange.from();
        int to = staleRange.to();
        staleRange.clear();
        for (int s = from; s < to; s++) {
            if (stale[s]) {
                stale[s] = false;
                if (!levels.fits(s, highest) || tops != null && !stackWithoutGaps(s)) {
                    failed = s;
                    include(s, s + 1);
                    return false;
                }
            }
        }
        work += (to - from) / 2;
        return true;
    }

    /** If a section, just stacked, must be full from its level on, lifts its buffers so; false if it cannot be. */
    private boolean stackWithoutGaps(int section) {
        if (level(section) + levels.toCome(section) != capacity) {
            return true;
        }
        tops.clear(level(section));
        int[] live = levels.sorted(section);
        for (int b : live) {
            if (!levels.isPlaced(b)) {
                tops.add(levels.lowest(b), sections.size[b]);
                work += tops.work();
            }
        }
        if (!tops.reaches(capacity)) {
            return false;
        }
        for (int b : live) {
            if (!levels.isPlaced(b) && !tops.reaches(levels.lowest(b))) {
                include(section, section + 1);
                concludeLift(b, tops.next(levels.lowest(b)));
            }
        }
        return true;
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
            concludeLift(floor.ruledOut(i), level(from) + 1);
        }
        return coverable;
    }
}
