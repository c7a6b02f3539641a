package dev.remat.compiler.search;

import dev.remat.ir.diagnostic.Count;

/** A training step fits its budget, but an evaluation that takes turns with it in its arena does not. */
public final class EvaluationBudgetException extends RuntimeException {
    /** @param neededBytes that the arena would have with the evaluation */
    public EvaluationBudgetException(long budgetBytes, long neededBytes) {
        super("the evaluation needs an arena of " + Count.bytes(neededBytes) + ", the budget is " + budgetBytes
                + "; a larger --budget, a smaller batch, or leaving --eval-every away may help");
    }
}
