package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.exact.ConstraintSolver;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Bounds on the cost of every sequence within a budget, proven without trying any: first by {@link GapPrices} in time
 * linear in the problem, then, where the problem is not too large, by {@link CoverProgram}
 * and {@link StageProgram}. Where values may be moved to tiers, by {@link JointProgram}, or by {@link LanePrices} where
 * the problem is too large for that. Where there is no {@link ConstraintSolver}, by prices alone.
 */
public final class LowerBounds {
    private static final int QUICK_PASSES = 300;
    private static final int FULL_PASSES = 3000;
    /** Most gaps looked at in all passes together. */
    private static final long MOST_WORK = 400_000_000;

    private static final double QUICK_EFFORT = 0.1;
    private static final double COVER_EFFORT = 0.5;
    private static final double STAGE_EFFORT = 1.5;
    private static final double MOVED_EFFORT = 4;
    /** Most gaps in an integer program, and most terms of its limits on memory. */
    private static final int MOST_GAPS = 2500;

    private static final int MOST_TERMS = 100_000;
    private static final int FIRST_STAGES = 32;
    /** Most stages times positions. */
    private static final int MOST_VARIABLES = 12_000;

    private final RematProblem problem;
    private final PlannerOptions options;
    private final long enough;
    private LowerBound highest;

    private LowerBounds(RematProblem problem, PlannerOptions options, long enough) {
        this.problem = problem;
        this.options = options;
        this.enough = enough;
        highest = new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER);
    }

    /**
     * The highest bound found; at least the cost of every node once, which bounds every order. Every bound found is
     * told to the listener, since one of a wider scope may cover sequences that the highest says nothing about.
     *
     * @param options without a budget everything may stay in memory, and only recomputations that pins ask for are
     * certain
     */
    public static LowerBound of(RematProblem problem, PlannerOptions options) {
        return of(problem, options, Long.MAX_VALUE);
    }

    /**
     * The same for a question that a bound of {@code enough} answers, such as whether a plan of that cost is the best:
     * ends when one is found, of whichever scope.
     */
    public static LowerBound of(RematProblem problem, PlannerOptions options, long enough) {
        LowerBounds bounds = new LowerBounds(problem, options, enough);
        bounds.search();
        return bounds.highest;
    }

    /** Tells the listener of a bound on every order that is found in a moment. */
    public static void ofPrices(RematProblem problem, PlannerOptions options) {
        LowerBounds bounds = new LowerBounds(problem, options, Long.MAX_VALUE);
        bounds.new Search(KnownOrder.always(problem), BoundScope.ANY_ORDER).price();
    }

    /** Whether a bound that is found quickly proves that no sequence within the budget costs less, in any order. */
    public static boolean noneIsBelow(RematProblem problem, PlannerOptions options, long cost) {
        ProvedBounds bounds = new ProvedBounds(options.listener().withoutProofs());
        of(problem, options.with(Effort.QUICK).telling(bounds), cost);
        return bounds.ofAnyOrder(problem).cost() >= cost;
    }

    private void search() {
        KnownOrder given = KnownOrder.given(problem);
        KnownOrder always = KnownOrder.always(problem);
        boolean same = Arrays.equals(always.line(), given.line());
        List<Search> searches = new ArrayList<>();
        searches.add(new Search(always, BoundScope.ANY_ORDER));
        if (!same) {
            searches.add(new Search(given, BoundScope.GIVEN_ORDER));
        }
        if (!problem.tiers().isEmpty()) {
            searches.forEach(Search::coverMoved);
            return;
        }
        searches.forEach(Search::price);
        if (options.budgetBytes().isEmpty()) {
            return;
        }
        searches.forEach(Search::coverWhole);
        if (options.effort() == Effort.FULL) {
            searches.getLast().coverInStages();
        }
    }

    /** At most so many of the positions, evenly. */
    private static int[] evenly(int[] positions, int most) {
        int count = Math.min(positions.length, most);
        return IntStream.range(0, count)
                .map(i -> positions[(int) ((long) i * positions.length / count)])
                .toArray();
    }

    /** Looks for bounds on the sequences of one scope. */
    private final class Search {
        private final KnownOrder order;
        private final BoundScope scope;
        private final GapCover cover;
        private final int[] pressed;
        private double[] prices = new double[0];

        Search(KnownOrder order, BoundScope scope) {
            this.order = order;
            this.scope = scope;
            cover = FindGaps.of(problem, order, options.budgetBytes().orElse(Long.MAX_VALUE / 2));
            pressed = cover.pressed();
        }

        void price() {
            int passes = options.effort() == Effort.FULL ? FULL_PASSES : QUICK_PASSES;
            passes = (int) Math.min(passes, MOST_WORK / Math.max(1, cover.gaps().size()));
            prices = GapPrices.find(cover, passes, options.listener());
            prove(cover.bound(prices));
        }

        void coverWhole() {
            if (worthwhile()) {
                cover(new int[0], options.effort() == Effort.FULL ? COVER_EFFORT : QUICK_EFFORT);
            }
        }

        /** What may be moved too. */
        void coverMoved() {
            if (options.budgetBytes().isEmpty() || !open()) {
                return;
            }
            boolean quick = options.effort() != Effort.FULL;
            if (cover.gaps().size() <= MOST_GAPS && ConstraintSolver.isAvailable()) {
                double effort = quick ? COVER_EFFORT : MOVED_EFFORT;
                prove(new JointProgram(problem, order, cover).bound(effort, options.listener()));
                return;
            }
            LanePrices prices = new LanePrices(problem, order, cover, options.listener());
            if (prices.isExact()) {
                prove(prices.bound(quick ? MOST_WORK / 4 : MOST_WORK));
            }
        }

        /** With more and more stages, as long as programs are solved. */
        void coverInStages() {
            double effort = STAGE_EFFORT;
            int most = Math.min(pressed.length, MOST_VARIABLES / Math.max(1, order.line().length));
            for (int stages = FIRST_STAGES; worthwhile() && effort > 0; stages *= 2) {
                int[] cuts = evenly(pressed, Math.min(stages, most));
                ConstraintSolver.Outcome outcome = cover(cuts, effort);
                effort = cuts.length < most && outcome.closed() ? effort - outcome.effort() : 0;
            }
        }

        boolean worthwhile() {
            return cover.gaps().size() <= MOST_GAPS && open() && ConstraintSolver.isAvailable();
        }

        /** Whether there is anything to prove. */
        private boolean open() {
            return pressed.length > 0
                    && cover.possible()
                    && highest.cost() < enough
                    && !options.listener().expired();
        }

        /** By an integer program, with a stage after each cut. */
        private ConstraintSolver.Outcome cover(int[] cuts, double effort) {
            CoverProgram program = new CoverProgram(problem, cover);
            for (int position : limited()) {
                program.limitMemory(position);
            }
            StageProgram.addTo(program, problem, order, cuts);
            ConstraintSolver.Outcome outcome = program.solve(effort, options.listener());
            prove(program.bound(outcome));
            return outcome;
        }

        /** Positions at which memory is limited: where there are too many, those of a high price and some between. */
        private int[] limited() {
            int most = MOST_TERMS / cover.gaps().size();
            if (pressed.length <= most) {
                return pressed;
            }
            IntStream priced = Arrays.stream(pressed)
                    .boxed()
                    .sorted(Comparator.comparingDouble(position -> -prices[position]))
                    .limit(most / 2)
                    .mapToInt(Integer::intValue);
            return IntStream.concat(priced, Arrays.stream(evenly(pressed, most / 2)))
                    .distinct()
                    .sorted()
                    .toArray();
        }

        private void prove(long cost) {
            LowerBound bound = new LowerBound(cost, scope);
            options.listener().proved(bound);
            highest = cost > highest.cost() ? bound : highest;
        }
    }
}
