package dev.remat.compiler.layout;

import dev.remat.compiler.plan.SearchListener;

/**
 * When a search for a layout ends.
 *
 * @param goal height that is low enough; 0 for as low as can be
 * @param hoped height that is tried before others, since much depends on whether there is a layout of it; 0 if nothing
 *     does
 * @param work comparisons behind those of greedy orders, of which a core makes about 200 million a second
 * @param listener is told what is tried, and may end the search
 */
public record LayoutLimits(long goal, long hoped, long work, SearchListener listener) {
    public LayoutLimits {
        if (goal < 0 || hoped < 0 || work < 0) {
            throw new IllegalArgumentException(
                    "heights and work are not negative: " + goal + ", " + hoped + ", " + work);
        }
    }

    public LayoutLimits(long goal, long work, SearchListener listener) {
        this(goal, 0, work, listener);
    }
}
