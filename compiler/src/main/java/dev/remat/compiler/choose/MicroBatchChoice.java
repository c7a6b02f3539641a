package dev.remat.compiler.choose;

import java.util.List;

/**
 * Into how many micro-batches a batch is cut.
 *
 * @param count that was taken; where nothing was found to fit, the one that came nearest
 * @param budgetBytes that it was chosen for
 * @param alternatives all that were looked at, by ascending number
 */
public record MicroBatchChoice(int count, long budgetBytes, List<MicroBatchAlternative> alternatives) {
    public MicroBatchChoice {
        alternatives = List.copyOf(alternatives);
    }
}
