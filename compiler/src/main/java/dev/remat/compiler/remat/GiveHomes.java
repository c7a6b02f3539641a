package dev.remat.compiler.remat;

import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.ir.Alignment;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

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
    /** Inputs that a caller reads after the step, by name. */
    private final SortedSet<String> read = new TreeSet<>();

    private GiveHomes(PlanningProblem planning, int tier, long smallest) {
        this.planning = planning;
        this.tier = tier;
        this.smallest = smallest;
    }

    /**
     * As the user wants it; where that is for the compiler to choose, if no plan can have room for the state in the
     * arena. It lives in the first tier that holds all of it.
     *
     * @param planning the step, or the section that has the inputs of all, on the tiers of {@code below}
     * @param beside other sections of the step
     * @param budget bytes of the arena, if they are known
     * @param alignment of what is moved, in bytes
     */
    public static PlanningProblem asAsked(
            PlanningProblem planning, List<PlanningProblem> beside, Below below, OptionalLong budget, long alignment) {
        boolean moves = switch (below.movable()) {
            case AUTO -> budget.isPresent() && Floor.of(planning.exact()).bytes() > budget.getAsLong();
            case STATE, ALL -> true;
            case ACTIVATIONS, NONE -> false;
        };
        for (int tier = 0; moves && tier < below.tiers().size(); tier++) {
            PlanningProblem living = run(planning, beside, tier, WORTHWHILE, alignment);
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
        return run(planning, List.of(), tier, smallest, alignment);
    }

    private static PlanningProblem run(
            PlanningProblem planning, List<PlanningProblem> beside, int tier, long smallest, long alignment) {
        GiveHomes pass = new GiveHomes(planning, tier, smallest);
        pass.addRead(planning.problem());
        beside.forEach(section -> pass.addRead(section.problem()));
        return planning.with(pass.below(planning.problem(), alignment), pass.below(planning.exact(), 1));
    }

    /** The tier of each tensor that lives below, by name. */
    public static SortedMap<String, Integer> of(PlanningProblem planning) {
        SortedMap<String, Integer> homes = new TreeMap<>();
        for (int n = 0; n < planning.residents(); n++) {
            ProblemNode node = planning.problem().node(n);
            if (node.home() != ProblemNode.DEVICE) {
                homes.put(node.id(), node.home());
            }
        }
        return homes;
    }

    /**
     * A plan or section beside another: what lives below there lives there here, and nothing else is moved.
     *
     * @param planning without tiers
     * @param homes tiers by name; where there are none, the problem is left as it is
     * @param tiers of the other
     * @param alignment of what is moved, in bytes
     */
    public static PlanningProblem beside(
            PlanningProblem planning, SortedMap<String, Integer> homes, List<Tier> tiers, long alignment) {
        return homes.isEmpty()
                ? planning
                : planning.with(
                        beside(planning.problem(), homes, tiers, alignment), beside(planning.exact(), homes, tiers, 1));
    }

    private static RematProblem beside(
            RematProblem problem, SortedMap<String, Integer> homes, List<Tier> tiers, long alignment) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            if (!node.resident()) {
                nodes.add(node.notOffloadable());
            } else {
                nodes.add(homes.containsKey(node.id()) ? below(node, homes.get(node.id()), alignment) : node);
            }
        }
        return RematProblem.of(problem.name(), nodes, problem.outputs(), tiers);
    }

    private void addRead(RematProblem problem) {
        problem.outputs().forEach(output -> read.add(problem.valueId(problem.storage(output))));
    }

    private RematProblem below(RematProblem problem, long alignment) {
        List<GraphInput> inputs = planning.fused().graph().inputs();
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            int value = problem.firstResult(n);
            boolean leaves = n < planning.residents()
                    && inputs.get(n).kind().isPersistent()
                    && problem.bytes(value) >= smallest
                    && !read.contains(node.id());
            nodes.add(leaves ? below(node, tier, alignment) : node);
        }
        return RematProblem.of(problem.name(), nodes, problem.outputs(), problem.tiers());
    }

    private static ProblemNode below(ProblemNode resident, int tier, long alignment) {
        ProblemValue value = resident.results().getFirst();
        return resident.withHome(tier)
                .withResults(List.of(ProblemValue.of(value.id(), Alignment.up(value.bytes(), alignment))));
    }
}
