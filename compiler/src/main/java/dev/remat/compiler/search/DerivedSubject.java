package dev.remat.compiler.search;

import dev.remat.compiler.plan.Proposal;
import dev.remat.ir.plan.RematProblem;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What another subject is with another problem, or with other candidates. */
record DerivedSubject<C extends Candidate>(
        Subject<?> whole,
        RematProblem problem,
        Optional<RematProblem> still,
        Function<Proposal, C> measured,
        BiFunction<Proposal, C, C> measuredAgain)
        implements Subject<C> {
    @Override
    public MemoryFloor floor() {
        return whole.floor();
    }

    @Override
    public long cost(long planned) {
        return whole.cost(planned);
    }

    @Override
    public C measure(Proposal proposal) {
        return measured.apply(proposal);
    }

    @Override
    public C measureAgain(Proposal proposal, C known) {
        return measuredAgain.apply(proposal, known);
    }
}
