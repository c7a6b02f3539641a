package dev.remat.compiler.remat;

import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.ir.Alignment;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Lets parameters, optimizer state and running statistics live in a tier, from where they come for their readers and
 * their updates. What a caller reads after the step stays on the device, and so does what is too small to be worth the
 * way.
 */
public final class GiveHomes {
    /** Bytes of what lives below at least: a transfer of less takes hardly less time. */
    public static final long WORTHWHILE = 1 << 16;

    private final PlanningProblem planning;
    private final int tier;
    private final long smallest;

    private GiveHomes(PlanningProblem planning, int tier, long smallest) {
        this.planning = planning;
        this.tier = tier;
        this.smallest = smallest;
    }

    /**
     * As the user wants it; where that is for the compiler to choose, if no plan can have room for the state in the
     * arena. It lives in the first tier that holds all of it.
     *
     * @param planning a step that is not cut into micro-batches, on the tiers of {@code below}
     * @param budget bytes of the arena, if they are known
     * @param alignment of what is moved, in bytes
     */
    public static PlanningProblem asAsked(PlanningProblem planning, Below below, OptionalLong budget, long alignment) {
        boolean moves = switch (below.movable()) {
            case AUTO -> budget.isPresent() && Floor.of(planning.exact()).bytes() > budget.getAsLong();
            case STATE, ALL -> true;
            case ACTIVATIONS, NONE -> false;
        };
        for (int tier = 0; moves && tier < below.tiers().size(); tier++) {
            PlanningProblem living = run(planning, tier, WORTHWHILE, alignment);
            if (living.problem().residentBytes(tier) <= below.tiers().get(tier).bytes()) {
                return living;
            }
        }
        return planning;
    }

    /**
     * @param planning a problem with tiers
     * @param tier index of the one to live in
     * @param smallest bytes of what lives there at least
     * @param alignment of what is moved, in bytes
     */
    public static PlanningProblem run(PlanningProblem planning, int tier, long smallest, long alignment) {
        GiveHomes pass = new GiveHomes(planning, tier, smallest);
        return new PlanningProblem(
                planning.fused(),
                pass.below(planning.problem(), alignment),
                pass.below(planning.exact(), 1),
                planning.residents(),
                planning.values(),
                planning.work());
    }

    private RematProblem below(RematProblem problem, long alignment) {
        List<GraphInput> inputs = planning.fused().graph().inputs();
        boolean[] isRead = new boolean[problem.valueCount()];
        problem.outputs().forEach(output -> isRead[problem.storage(output)] = true);
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            int value = problem.firstResult(n);
            boolean leaves = n < planning.residents()
                    && inputs.get(n).kind().isPersistent()
                    && problem.bytes(value) >= smallest
                    && !isRead[value];
            nodes.add(leaves ? below(node, alignment) : node);
        }
        return RematProblem.of(problem.name(), nodes, problem.outputs(), problem.tiers());
    }

    private ProblemNode below(ProblemNode resident, long alignment) {
        ProblemValue value = resident.results().getFirst();
        return resident.withHome(tier)
                .withResults(List.of(ProblemValue.of(value.id(), Alignment.up(value.bytes(), alignment))));
    }
}
