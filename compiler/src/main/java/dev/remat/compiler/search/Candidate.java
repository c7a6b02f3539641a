package dev.remat.compiler.search;

import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.ir.plan.OperatorSequence;

/** A proposal and the memory that it really takes, so that plans are compared by that. */
public interface Candidate {
    Proposal proposal();

    /** Bytes as the {@link Subject} measures them. */
    long bytes();

    default OperatorSequence sequence() {
        return proposal().sequence();
    }

    default SequenceEvaluation evaluation() {
        return proposal().evaluation();
    }
}
