package dev.remat.compiler.layout;

import java.util.Arrays;

/**
 * The buffers that may lie on the floor of a stretch of sections, all of one level and lower than its neighbours. Where
 * no gap can be afforded, the floor is covered: side by side from one end to the other. A buffer that no such row has
 * cannot lie there.
 */
final class FloorCover {
    private final Sections sections;
    private final PartialLayout layout;
    /** Whether the floor can be covered from its beginning up to a section, and from there to its end. */
    private final boolean[] before;

    private final boolean[] after;
    private final int[] ruledOut;
    private int ruledOutCount;
    private int uncovered;
    private long work;

    FloorCover(Sections sections, PartialLayout layout) {
        this.sections = sections;
        this.layout = layout;
        before = new boolean[sections.count() + 1];
        after = new boolean[sections.count() + 1];
        ruledOut = new int[sections.buffers()];
    }

    /** Looks at the floor from one section to before another; false if it cannot be covered where it needs to be. */
    boolean cover(int from, int to) {
        ruledOutCount = 0;
        if (!anyNeeded(from, to)) {
            return true;
        }
        Arrays.fill(before, from, to + 1, false);
        Arrays.fill(after, from, to + 1, false);
        before[from] = true;
        for (int s = from; s < to; s++) {
            if (before[s]) {
                uncovered = s;
                before[s + 1] |= layout.maySkipLevel(s);
                for (int b : sections.beginning(s)) {
                    before[layout.mayLieAtLevel(b, s) ? sections.end[b] : s] = true;
                }
                work += sections.beginning(s).length;
            }
        }
        if (!before[to]) {
            return false;
        }
        after[to] = true;
        for (int s = to - 1; s >= from; s--) {
            after[s] = after[s + 1] && layout.maySkipLevel(s);
            for (int b : sections.beginning(s)) {
                if (layout.mayLieAtLevel(b, s)) {
                    boolean covers = after[sections.end[b]];
                    after[s] |= covers;
                    if (!covers || !before[s]) {
                        ruledOut[ruledOutCount++] = b;
                    }
                }
            }
            work += sections.beginning(s).length;
        }
        return true;
    }

    private boolean anyNeeded(int from, int to) {
        for (int s = from; s < to; s++) {
            if (!layout.maySkipLevel(s)) {
                return true;
            }
        }
        return false;
    }

    /** Where a floor that cannot be covered lies bare. */
    int uncovered() {
        return uncovered;
    }

    /** How many buffers no cover of the floor has that was looked at last; none where it cannot be covered. */
    int ruledOutCount() {
        return ruledOutCount;
    }

    int ruledOut(int index) {
        return ruledOut[index];
    }

    long work() {
        return work;
    }
}
