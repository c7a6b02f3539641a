package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * The cheapest sequence of any order, with any number of computations of a node, for small problems: A* (Hart,
 * Nilsson and Raphael, 1968) over the positions of {@link PebbleGame}. A position is left out if another had run
 * the same nodes with no less in memory for no more cost. Within counted work; what is proved of all orders when
 * that ends is told too.
 */
public final class PebbleSearch {
    static final String NAME = "exact";
    /** Positions kept. */
    private static final int MOST = 200_000;
    /** Looks at nodes and at positions. */
    private static final long MOST_LOOKS = 50_000_000;

    private static final int QUICK_PART = 10;
    /** Positions between two looks at the clock. */
    private static final int CLOCK = 1_024;

    /**
     * @param before null for the first
     * @param cost of what was computed again
     * @param bound of that and what must be
     */
    private record Position(Position before, int node, long done, long live, long cost, long bound) {}

    private final RematProblem problem;
    private final PlannerOptions options;
    private final PebbleGame game;
    /** Recomputations must cost less. */
    private final long below;

    private final int most;
    private final long mostLooks;
    private final Map<Long, List<Position>> reached = new LinkedHashMap<>();
    private final PriorityQueue<Position> open = new PriorityQueue<>(Comparator.comparingLong(Position::bound)
            .thenComparing(position -> Long.bitCount(position.done()), Comparator.reverseOrder()));
    private int kept;
    private long looks;
    private int tried;

    private PebbleSearch(RematProblem problem, PlannerOptions options, PebbleGame game, long below) {
        this.problem = problem;
        this.options = options;
        this.game = game;
        this.below = below;
        int part = options.effort() == PlannerOptions.Effort.FULL ? 1 : QUICK_PART;
        most = MOST / part;
        mostLooks = MOST_LOOKS / part;
    }

    /**
     * A sequence that fits the budget in the options and costs less than {@code start}, or does not fit with it, if
     * there is one and it is found; else {@code start}. Tells the listener what is proved.
     */
    public static OperatorSequence improve(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        Proposal proposal = Proposal.of(problem, start);
        boolean fits = proposal.fits(options);
        long below = fits ? proposal.evaluation().recomputedCost() : Long.MAX_VALUE;
        Optional<PebbleGame> game = PebbleGame.of(problem, options.budgetBytes().orElseThrow());
        return game.isEmpty() || below == 0
                ? start
                : new PebbleSearch(problem, options, game.get(), below).search().orElse(start);
    }

    private Optional<OperatorSequence> search() {
        add(new Position(null, -1, 0, 0, 0, 0));
        while (!open.isEmpty()) {
            Position position = open.remove();
            boolean won = game.won(position.done, position.live);
            if (won || !extend(position)) {
                prove(position.bound);
                return won ? Optional.of(sequence(position)) : Optional.empty();
            }
        }
        if (below < Long.MAX_VALUE) {
            prove(below);
        }
        return Optional.empty();
    }

    private void prove(long recomputed) {
        options.listener().proved(new LowerBound(problem.baselineCost() + recomputed, BoundScope.ANY_ORDER));
    }

    /** Whether there was work left for all that follows from the position. */
    private boolean extend(Position position) {
        boolean workLeft = true;
        for (int node = 0; node < game.size() && workLeft; node++) {
            if (game.mayRun(node, position.done, position.live)) {
                boolean again = (position.done >> node & 1) != 0;
                long cost = position.cost + (again ? game.cost(node) : 0);
                long done = position.done | 1L << node;
                int which = node;
                workLeft = game.run(node, position.done, position.live, live -> {
                    long toPay = game.toPay(done, live);
                    if (toPay < below - cost) {
                        add(new Position(position, which, done, live, cost, cost + toPay));
                    }
                    return isWorkLeft();
                });
            }
        }
        return workLeft;
    }

    private boolean isWorkLeft() {
        looks += game.size();
        tried++;
        return kept <= most
                && looks <= mostLooks
                && (tried % CLOCK != 0 || !options.listener().expired());
    }

    private void add(Position position) {
        List<Position> same = reached.computeIfAbsent(position.done, done -> new ArrayList<>());
        looks += same.size();
        for (Position other : same) {
            if (other.cost <= position.cost && (position.live & ~other.live) == 0) {
                return;
            }
        }
        same.removeIf(other -> position.cost <= other.cost && (other.live & ~position.live) == 0);
        same.add(position);
        open.add(position);
        kept++;
    }

    private OperatorSequence sequence(Position last) {
        IntList steps = new IntList();
        for (Position at = last; at.before != null; at = at.before) {
            steps.add(game.node(at.node));
        }
        return new OperatorSequence(NAME, steps.reversed().toArray(), List.of());
    }
}
