package dev.remat.compiler.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps what a search came by on its way to its answer: sequences within the budget that may cost a little more, and
 * whose gaps between buffers may be smaller.
 */
public final class FoundPlans extends ForwardingListener {
    private final PlannerOptions asked;
    private final List<Proposal> found = new ArrayList<>();

    /** @param asked by which they are judged, and whose listener follows as well */
    public FoundPlans(PlannerOptions asked) {
        super(asked.listener());
        this.asked = asked;
    }

    @Override
    public void found(Proposal proposal) {
        synchronized (found) {
            if (proposal.fits(asked)
                    && found.stream().noneMatch(known -> known.sequence().sameSteps(proposal.sequence()))) {
                found.add(proposal);
            }
        }
        super.found(proposal);
    }

    /** Those that cost less than {@code cost}, the cheapest first. */
    public List<Proposal> cheaperThan(long cost) {
        synchronized (found) {
            return found.stream()
                    .filter(proposal -> proposal.evaluation().cost() < cost)
                    .sorted(Proposal.bestFirst(asked))
                    .toList();
        }
    }
}
