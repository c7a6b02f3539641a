package dev.remat.compiler.search;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.OperatorSequence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Every plan of a subject so far, so that none is measured twice. */
final class MeasuredPlans<C extends Candidate> {
    private final Subject<C> subject;
    private final SearchListener listener;
    private final List<C> plans = new ArrayList<>();

    /** @param listener follows the search */
    MeasuredPlans(Subject<C> subject, SearchListener listener) {
        this.subject = subject;
        this.listener = listener;
    }

    Subject<C> subject() {
        return subject;
    }

    /** What a strategy proposes. */
    C ask(Planner planner, PlannerOptions options) {
        return measure(subject.propose(planner, options));
    }

    C measure(Proposal proposal) {
        OperatorSequence sequence = proposal.sequence();
        List<C> same = plans.stream()
                .filter(known -> known.sequence().sameSteps(sequence))
                .toList();
        Optional<C> known = same.stream()
                .filter(plan -> plan.sequence().strategy().equals(sequence.strategy()))
                .findFirst();
        if (known.isPresent()) {
            return known.get();
        }
        C candidate = same.isEmpty()
                ? listener.rehearse(() -> subject.measure(proposal))
                : subject.measureAgain(proposal, same.getFirst());
        add(candidate);
        return candidate;
    }

    /** One that was measured elsewhere. */
    void add(C candidate) {
        plans.add(candidate);
        listener.measured(candidate.proposal(), candidate.bytes());
    }

    /** In the order in which they were measured. */
    List<C> all() {
        return List.copyOf(plans);
    }

    C smallest() {
        return plans.stream().min(Comparator.comparingLong(Candidate::bytes)).orElseThrow();
    }
}
