package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;

/**
 * The best that any of the other strategies finds, with those repeats taken back that the budget does not ask for. So it
 * is never worse than a single one of them.
 *
 * <p>Strategies are also asked for somewhat more than the budget, since taking repeats back frees what these had read.
 */
public final class Auto implements Planner {
    private static final double[] LOOSER = {1.04, 1.1};
    /** Above so many nodes strategies are asked for the budget alone. */
    private static final int LARGE = 20_000;

    private final List<Planner> members;

    Auto(List<Planner> members) {
        this.members = List.copyOf(members);
    }

    @Override
    public String name() {
        return "auto";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        BestSequence best = new BestSequence(problem, options);
        Proposal keepAll = Proposal.of(problem, new KeepAll().plan(problem, options));
        if (keepAll.fits(options)) {
            return keepAll.sequence();
        }
        for (Planner member : members) {
            options.listener().trying("planning by auto: " + member.name());
            OperatorSequence sequence = member.plan(problem, options);
            best.offer(sequence);
            if (options.budgetBytes().isPresent()) {
                long budget = options.budgetBytes().getAsLong();
                best.offer(RemoveRepeats.run(problem, sequence, budget));
                boolean once = problem.nodeCount() > LARGE || member instanceof Anneal;
                for (int i = 0; !once && i < LOOSER.length; i++) {
                    PlannerOptions looser = options.within((long) (budget * LOOSER[i]));
                    best.offer(RemoveRepeats.run(problem, member.plan(problem, looser), budget));
                }
            }
        }
        return best.sequence();
    }
}
