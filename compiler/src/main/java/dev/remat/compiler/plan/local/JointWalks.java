package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.local.SequenceMoves.Focus;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Walks through orders and recomputations at once, for nodes that may stand in many places: they move steps, first
 * computations among them, more often than they change what is recomputed. They come in rounds, each of which goes on
 * from the best so far and is twice as long as the one before, so that there soon is a sequence that fits, and whenever
 * the time ends, a good part of it has gone into a walk as long as it allows. As long as nothing fits, they look for
 * what does, whatever it costs; but one of the first, for where it is easy to find.
 */
public final class JointWalks {
    private static final long FIRST_WORK = 250_000;
    /** Moves in all for each node, beyond which walks would come by the same sequences again. */
    private static final long MOST_A_NODE = 50_000;
    /** Temperature at the start, as a part of the mean cost of a node. */
    private static final double FIRST_HEAT = 0.5;
    /** The same at the end, of walks side by side: one lingers where few recomputations are exchanged for others. */
    private static final double[] LAST_HEAT = {0.001, 0.01};

    private JointWalks() {}

    /** How many rounds the effort has, those of less effort first. */
    public static int rounds(RematProblem problem, Effort effort) {
        int most = switch (effort) {
            case QUICK -> 2;
            case NORMAL -> 4;
            case FULL ->
                problem.nodeCount() > SearchLimits.LARGE ? 5 : problem.nodeCount() > SearchLimits.ASKED_AROUND ? 7 : 8;
        };
        int rounds = 1;
        while (rounds < most && work(rounds) - FIRST_WORK < problem.nodeCount() * MOST_A_NODE) {
            rounds++;
        }
        return rounds;
    }

    /** The walks of a round, to be made side by side from the same start. */
    public static List<UnaryOperator<OperatorSequence>> round(RematProblem problem, PlannerOptions options, int round) {
        List<UnaryOperator<OperatorSequence>> walks = new ArrayList<>();
        for (int side = 0; side < LAST_HEAT.length; side++) {
            SequenceSearch.Walk walk = walk(round, side);
            walks.add(start -> Anneal.improve(problem, start, options, List.of(walk)));
        }
        return walks;
    }

    /** All rounds that the effort has, a walk each. */
    public static OperatorSequence improve(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        List<SequenceSearch.Walk> walks = new ArrayList<>();
        for (int round = 0; round < rounds(problem, options.effort()); round++) {
            walks.add(walk(round, 0));
        }
        return Anneal.improve(problem, start, options, walks);
    }

    private static SequenceSearch.Walk walk(int round, int side) {
        boolean seeks = round > 0 || side > 0;
        return new SequenceSearch.Walk(
                work(round), FIRST_HEAT, LAST_HEAT[side], LAST_HEAT.length * round + side + 1, Focus.PLACES, seeks);
    }

    private static long work(int round) {
        return FIRST_WORK << round;
    }
}
