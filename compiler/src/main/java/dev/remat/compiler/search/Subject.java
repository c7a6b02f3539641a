package dev.remat.compiler.search;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.transfer.OnTiers;
import dev.remat.ir.plan.RematProblem;
import java.util.Optional;

/** What is planned, and how its plans are measured. */
public interface Subject<C extends Candidate> {
    RematProblem problem();

    MemoryFloor floor();

    /**
     * The problem as it is where nothing lies below the device: the same nodes with the bytes that they take if nothing
     * is moved. Empty where nothing lies below, or where what moves nothing is no answer.
     */
    default Optional<RematProblem> still() {
        return Optional.empty();
    }

    /**
     * The same with more ways to get by, where no plan of it fits the budget that the search has tried; empty if there
     * are none. Made when it is asked for.
     */
    default Optional<Subject<C>> whereNoneFits(long budgetBytes) {
        return Optional.empty();
    }

    /** What everything costs together with a plan of the problem that costs {@code planned}. */
    default long cost(long planned) {
        return planned;
    }

    /** Finds out what a proposal takes. */
    C measure(Proposal proposal);

    /** The same where {@code known} has the same steps by another strategy, which retained for other reasons. */
    default C measureAgain(Proposal proposal, C known) {
        return measure(proposal);
    }

    default Proposal propose(Planner planner, PlannerOptions options) {
        options.listener().trying("planning by " + planner.name());
        return Proposal.of(problem(), OnTiers.plan(planner, problem(), options));
    }

    /** The same with {@link #still} as its problem; a proposal says what it takes where nothing is moved. */
    default Optional<Subject<C>> withoutMoving() {
        return still().map(problem ->
                new DerivedSubject<>(this, problem, Optional.empty(), this::measure, this::measureAgain));
    }

    /** The same, of whose plans nothing but the bytes is kept. */
    default Subject<MeasuredPlan> bytesOnly() {
        return new DerivedSubject<>(
                this,
                problem(),
                still(),
                proposal -> new MeasuredPlan(proposal, measure(proposal).bytes()),
                (proposal, known) -> new MeasuredPlan(proposal, known.bytes()));
    }
}
