package dev.remat.cli.option;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.choose.FindCutFloors;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.target.Link;
import java.util.Optional;

/**
 * A step that is to be planned.
 *
 * @param session of the model, with everything that was set
 * @param model elaborated for the step, its batch cut
 * @param choice of the number of micro-batches, if that was left open
 * @param ranks that compute them side by side
 * @param sharding what of the state these share
 * @param link that they exchange over, if that is known
 */
public record AskedStep(
        ModelSession session,
        ElaboratedModel model,
        Optional<MicroBatchChoice> choice,
        int ranks,
        Sharding sharding,
        Optional<Link> link) {
    /** On one rank. */
    AskedStep(ModelSession session, ElaboratedModel model, Optional<MicroBatchChoice> choice) {
        this(session, model, choice, 1, Sharding.NONE, Optional.empty());
    }

    /** The same of a model that gives more. */
    public AskedStep with(ElaboratedModel other) {
        return new AskedStep(session, other, choice, ranks, sharding, link);
    }

    /** The same on several ranks, whose number divides that of its micro-batches. */
    public AskedStep onRanks(int number, Sharding shared) {
        return new AskedStep(session, model, choice, number, shared, link);
    }

    /** The same where ranks exchange over a link. */
    public AskedStep over(Optional<Link> joined) {
        return new AskedStep(session, model, choice, ranks, sharding, joined);
    }

    /**
     * What is said where no plan fits: on one rank with the floors of more that could be cut, if time is left.
     *
     * @param compiler whose searches nobody follows
     */
    BudgetException refused(BudgetException why, CompileOptions options, Compiler compiler) {
        boolean maybeCut = choice.isEmpty() && ranks == 1 && !why.endedEarly();
        return maybeCut ? why.with(FindCutFloors.run(session, model, options, compiler, why)) : why;
    }

    /** The step as choosing has prepared it, unless it gives more than was asked for then. */
    Optional<PreparedStep> prepared() {
        return choice.flatMap(MicroBatchChoice::step)
                .filter(step -> step.model().equals(model));
    }
}
