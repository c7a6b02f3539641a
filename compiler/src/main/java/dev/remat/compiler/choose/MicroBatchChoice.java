package dev.remat.compiler.choose;

import dev.remat.compiler.PreparedStep;
import java.util.List;
import java.util.Optional;

/**
 * Into how many micro-batches a batch is cut.
 *
 * @param count that was taken; where nothing was found to fit, the one that came nearest
 * @param budgetBytes that it was chosen for
 * @param alternatives all that were looked at, by ascending number
 * @param step that is cut so, as it was prepared; empty if there is no budget
 */
public record MicroBatchChoice(
        int count, long budgetBytes, List<MicroBatchAlternative> alternatives, Optional<PreparedStep> step) {
    public MicroBatchChoice {
        alternatives = List.copyOf(alternatives);
    }
}
