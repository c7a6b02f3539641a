package dev.remat.compiler.layout;

import dev.remat.compiler.plan.SearchListener;

/**
 * When a search for a layout ends.
 *
 * @param goal height that is low enough; 0 for as low as can be
 * @param work comparisons, of which a core makes about 200 million a second
 * @param listener is told what is tried, and may end the search
 */
public record LayoutLimits(long goal, long work, SearchListener listener) {
    public LayoutLimits {
        if (goal < 0 || work < 0) {
            throw new IllegalArgumentException("goal and work are not negative: " + goal + ", " + work);
        }
    }
}
