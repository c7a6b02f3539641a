package dev.remat.runtime.generate;

import dev.remat.runtime.Executable;
import java.util.List;

/**
 * A loaded plan that computes some new positions of a text from what is kept of those before them.
 *
 * @param executable with the output {@link Generator#LOGITS} of the new positions; zeros are kept at first
 * @param positions name of the input with the numbers of the new positions, i64
 */
public record Continued(Executable executable, String positions, List<Kept> kept) {
    public Continued {
        kept = List.copyOf(kept);
    }

    /**
     * A tensor with a row for each position of the window.
     *
     * @param name of the plan's state, and of its output with the rows of the new positions
     * @param axis along which rows lie
     */
    public record Kept(String name, int axis) {}

    /** Makes them. */
    public interface Load {
        /**
         * Loads a plan.
         *
         * @param window positions that there are in all
         * @param positions how many are computed at once
         */
        Continued load(long window, long positions);
    }
}
