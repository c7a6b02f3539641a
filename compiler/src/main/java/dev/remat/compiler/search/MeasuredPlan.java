package dev.remat.compiler.search;

import dev.remat.compiler.plan.Proposal;

/** A candidate of which nothing but its bytes is kept. */
public record MeasuredPlan(Proposal proposal, long bytes) implements Candidate {
    static MeasuredPlan of(Candidate candidate) {
        return new MeasuredPlan(candidate.proposal(), candidate.bytes());
    }
}
