package dev.remat.compiler.layout;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Complete search for a layout within a capacity. Takes a section that is lower than its neighbours and tries each
 * buffer that may lie there, and last that none does; every layout that nothing can be lowered in is met so. Fails are
 * traced to the sections that they come from, and choices elsewhere are not tried again (conflict-directed backjumping,
 * Prosser, 1993). That buffers lie only on one another, and the idea of sections, are of Moffitt (2023).
 */
final class LayoutSearch {
    enum Outcome {
        FOUND,
        IMPOSSIBLE,
        UNKNOWN
    }

    private static final int RAISE = -1;
    /** What meeting one more edge outweighs: any difference of ranks. */
    private static final long FIT = 1L << 48;

    private static final long SCANNED_PER_COMPARISON = 4;

    private final Sections sections;
    private final PartialLayout layout;
    private final long[] rank;
    private final double[] weight;
    /**
     * Per choice made: its section, its options and the next of them, where to go back to, which sections the option
     * concerns, and those that fails of the others and conclusions come from.
     */
    private int[] section = new int[64];

    private int[][] options = new int[64][];
    private int[] next = new int[64];
    private int[] mark = new int[64];
    private SectionRange[] effect = new SectionRange[64];
    private SectionRange[] conflict = new SectionRange[64];
    private int depth;
    private long fails;
    private long scanned;

    /**
     * @param rank of each buffer: which to try first, least first, where as many edges are met; 0 to 2^48
     * @param weight of each section: how often it failed; goes on counting
     */
    LayoutSearch(Sections sections, long capacity, long[] rank, double[] weight) {
        this.sections = sections;
        this.rank = rank;
        this.weight = weight;
        layout = new PartialLayout(sections, capacity);
    }

    long work() {
        return layout.work() + scanned / SCANNED_PER_COMPARISON;
    }

    long offset(int buffer) {
        return layout.offset(buffer);
    }

    /**
     * Searches until a layout is found, none can be, or a limit is met.
     *
     * @param mostFails choices that may fail
     * @param mostWork comparisons after which it ends with the next choice that fails
     * @param mostStraight comparisons after which it ends though none has failed
     */
    Outcome run(long mostFails, long mostWork, long mostStraight, BooleanSupplier expired) {
        if (!layout.begin()) {
            return Outcome.IMPOSSIBLE;
        }
        int chosen = choose();
        while (chosen >= 0) {
            if (work() > mostStraight) {
                return Outcome.UNKNOWN;
            }
            push(chosen);
            while (!advance()) {
                if (depth == 0) {
                    return Outcome.IMPOSSIBLE;
                }
                if (fails > mostFails || work() > mostWork || (fails & 255) == 0 && expired.getAsBoolean()) {
                    return Outcome.UNKNOWN;
                }
            }
            chosen = choose();
        }
        return Outcome.FOUND;
    }

    /** Makes the next choice left at the top; where there is none, goes back to one that the fails come from. */
    private boolean advance() {
        int top = depth - 1;
        while (next[top] < options[top].length) {
            int option = options[top][next[top]++];
            boolean fits = option == RAISE ? layout.raise(section[top]) : layout.place(option);
            conflict[top].add(layout.conflict());
            if (fits) {
                effect[top].clear();
                effect[top].add(layout.effect());
                return true;
            }
            fails++;
            weight[layout.failed()]++;
            layout.undoTo(mark[top]);
        }
        SectionRange cause = conflict[top];
        depth--;
        while (depth > 0 && !effect[depth - 1].meets(cause)) {
            depth--;
        }
        if (depth > 0) {
            layout.undoTo(mark[depth - 1]);
            conflict[depth - 1].add(cause);
        }
        return false;
    }

    private void push(int chosen) {
        if (depth == section.length) {
            int more = 2 * depth;
            section = Arrays.copyOf(section, more);
            options = Arrays.copyOf(options, more);
            next = Arrays.copyOf(next, more);
            mark = Arrays.copyOf(mark, more);
            effect = Arrays.copyOf(effect, more);
            conflict = Arrays.copyOf(conflict, more);
        }
        section[depth] = chosen;
        options[depth] = options(chosen);
        next[depth] = 0;
        mark[depth] = layout.mark();
        layout.reach(chosen);
        effect[depth] = new SectionRange();
        conflict[depth] = new SectionRange();
        conflict[depth].add(layout.conflict());
        depth++;
    }

    /** Those that may lie at the section's level, best first, one of each kind; last, that none does. */
    private int[] options(int chosen) {
        int[] found = new int[(int) layout.choices(chosen) + 1];
        long[] key = new long[found.length];
        int from = layout.stretchFrom(chosen);
        int to = layout.stretchTo(chosen);
        int count = 0;
        for (int b : sections.live(chosen)) {
            if (!layout.mayLieAtLevel(b, chosen) || twin(found, count, b)) {
                continue;
            }
            long keyOf = rank[b] - fit(b, from, to) * FIT;
            int i = count++;
            while (i > 0 && (key[i - 1] > keyOf || key[i - 1] == keyOf && found[i - 1] > b)) {
                found[i] = found[i - 1];
                key[i] = key[i - 1];
                i--;
            }
            found[i] = b;
            key[i] = keyOf;
        }
        found[count++] = RAISE;
        return Arrays.copyOf(found, count);
    }

    /** How many edges of the stretch a buffer meets, and of how many of these neighbours its top is level with. */
    private int fit(int buffer, int from, int to) {
        long top = layout.offset(buffer) + sections.size[buffer];
        int fit = 0;
        if (sections.first[buffer] == from) {
            fit += from == 0 || layout.level(from - 1) == Long.MAX_VALUE || layout.level(from - 1) == top ? 2 : 1;
        }
        if (sections.end[buffer] == to) {
            boolean level = to == sections.count() || layout.level(to) == Long.MAX_VALUE || layout.level(to) == top;
            fit += level ? 2 : 1;
        }
        return fit;
    }

    /** Whether a buffer of the same kind is an option already. */
    private boolean twin(int[] found, int count, int b) {
        for (int i = 0; i < count; i++) {
            int a = found[i];
            if (sections.first[a] == sections.first[b]
                    && sections.end[a] == sections.end[b]
                    && sections.size[a] == sections.size[b]
                    && sections.alignment[a] == sections.alignment[b]) {
                return true;
            }
        }
        return false;
    }

    /** Of the sections lower than their neighbours, the one with the fewest options for how often it failed; or -1. */
    private int choose() {
        int best = -1;
        double bestScore = Double.MAX_VALUE;
        int count = sections.count();
        scanned += count;
        int from = 0;
        while (from < count) {
            int to = layout.stretchTo(from);
            boolean floor = layout.isFloor(from, to);
            for (int s = from; floor && s < to; s++) {
                double score = (layout.choices(s) + (layout.maySkipLevel(s) ? 1 : 0)) / weight[s];
                if (score < bestScore) {
                    best = s;
                    bestScore = score;
                }
            }
            from = to;
        }
        return best;
    }
}
