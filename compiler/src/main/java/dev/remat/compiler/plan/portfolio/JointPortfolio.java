package dev.remat.compiler.plan.portfolio;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.WorkBound;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.transfer.AnnealLabels;
import dev.remat.compiler.plan.transfer.Offload;
import dev.remat.compiler.plan.transfer.OnTiers;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * The best of recomputing alone, of moving alone, and of both together, which goes on from the others. Never worse than
 * recomputing alone, unless time runs out: what that would find with all effort is looked for too, but where a bound
 * says that it cannot be better.
 */
final class JointPortfolio {
    private static final List<Planner> MOVING = List.of(Offload.everything(), Offload.activations(), Offload.state());

    private final RematProblem problem;
    private final PlannerOptions options;
    private final Planner recomputing;
    private final BestSequence best;

    /** @param recomputing the portfolio for the device alone */
    JointPortfolio(RematProblem problem, PlannerOptions options, Planner recomputing) {
        this.problem = problem;
        this.options = options;
        this.recomputing = recomputing;
        best = new BestSequence(problem, options);
    }

    /** What a user can name of it. */
    static List<Planner> strategies() {
        List<Planner> all = new ArrayList<>(MOVING);
        all.add(new AnnealLabels());
        return all;
    }

    OperatorSequence search() {
        offer(OnTiers.plan(new KeepAll(), problem, options));
        if (done(problem.baselineCost())) {
            return best.sequence();
        }
        OperatorSequence alone = OnTiers.plan(recomputing, problem, options.with(Effort.QUICK));
        offer(alone);
        for (Planner planner : WorkBound.applies(problem, options) ? MOVING.subList(0, 1) : MOVING) {
            tell(planner.name());
            offer(planner.plan(problem, options));
        }
        if (options.budgetBytes().isEmpty()) {
            return best.sequence();
        }
        tell("moving and recomputing");
        offer(AnnealLabels.improve(problem, List.of(alone), options));
        if (options.effort() != Effort.QUICK && mayRecomputeCheaper()) {
            OperatorSequence more = OnTiers.plan(recomputing, problem, options);
            if (offer(more)) {
                tell("moving and recomputing");
                offer(AnnealLabels.improve(problem, List.of(more), options));
            }
        }
        if (best.proposal().fits(options) && !options.listener().expired() && !WorkBound.applies(problem, options)) {
            options.listener().trying("proving a lower bound");
            LowerBounds.of(problem, options, best.proposal().evaluation().cost());
        }
        return best.sequence();
    }

    /** Whether a bound leaves room for a sequence without transfers that is better than the best so far. */
    private boolean mayRecomputeCheaper() {
        if (options.listener().expired() || !best.proposal().fits(options)) {
            return !options.listener().expired();
        }
        return !LowerBounds.noneIsBelow(
                OnTiers.deviceAlone(problem),
                options,
                best.proposal().evaluation().cost());
    }

    private boolean done(long bound) {
        return best.proposal().fits(options) && best.proposal().evaluation().cost() <= bound;
    }

    private boolean offer(OperatorSequence sequence) {
        Proposal proposal = Proposal.of(problem, sequence);
        options.listener().found(proposal);
        return best.offer(proposal);
    }

    private void tell(String what) {
        options.listener().trying("planning by auto: " + what);
    }
}
