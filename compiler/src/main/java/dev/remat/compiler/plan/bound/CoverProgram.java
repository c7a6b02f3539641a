package dev.remat.compiler.plan.bound;

import com.google.ortools.sat.BoolVar;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearArgument;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import com.google.ortools.sat.Literal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.GapCover.Gap;
import dev.remat.compiler.plan.exact.ConstraintSolver;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link GapCover} as an integer program for CP-SAT: a storage is missing in a whole gap or not at all. Memory is
 * limited at some positions only, and bytes and costs are rounded down to moderate numbers, which can only lower the
 * bound.
 */
final class CoverProgram {
    private static final int BYTE_BITS = 24;
    private static final int COST_BITS = 40;
    private static final long MOST = 1L << 61;

    private final RematProblem problem;
    private final GapCover cover;
    private final CpModel model = ConstraintSolver.newModel();
    private final BoolVar[] missing;
    /** Per node: sums of which none exceeds the number of its recomputations. */
    private final List<List<LinearExpr>> recomputations = new ArrayList<>();

    private final long byteUnit;
    private final long costUnit;

    CoverProgram(RematProblem problem, GapCover cover) {
        this.problem = problem;
        this.cover = cover;
        long most = 1;
        for (long room : cover.room()) {
            most = Math.max(most, room);
        }
        byteUnit = Math.max(1, most >> BYTE_BITS);
        costUnit = Math.max(1, problem.baselineCost() >> COST_BITS);
        missing = new BoolVar[cover.gaps().size()];
        for (int n = 0; n < problem.nodeCount(); n++) {
            recomputations.add(new ArrayList<>());
        }
        for (int g = 0; g < missing.length; g++) {
            missing[g] = model.newBoolVar("missing" + g);
        }
        for (int g = 0; g < missing.length; ) {
            List<BoolVar> ofStorage = new ArrayList<>();
            int storage = cover.gaps().get(g).storage();
            for (; g < missing.length && cover.gaps().get(g).storage() == storage; g++) {
                ofStorage.add(missing[g]);
            }
            addRecomputations(problem.producer(storage), LinearExpr.sum(ofStorage.toArray(LinearArgument[]::new)));
        }
    }

    CpModel model() {
        return model;
    }

    GapCover cover() {
        return cover;
    }

    /** Says that the node is recomputed at least so often. */
    void addRecomputations(int node, LinearExpr count) {
        recomputations.get(node).add(count);
    }

    /** What stays over all of the gap. */
    Literal stays(int gap) {
        return missing[gap].not();
    }

    /** Limits what stays at the position, by gaps alone. */
    void limitMemory(int position) {
        LinearExprBuilder sum = LinearExpr.newBuilder();
        for (int g = 0; g < missing.length; g++) {
            Gap gap = cover.gaps().get(g);
            if (gap.from() <= position && position < gap.to()) {
                addBytes(sum, stays(g), gap.bytes());
            }
        }
        limitMemory(position, sum);
    }

    void addBytes(LinearExprBuilder sum, Literal inMemory, long bytes) {
        sum.addTerm(inMemory, bytes / byteUnit);
    }

    void limitMemory(int position, LinearExprBuilder sum) {
        model.addLessOrEqual(sum, cover.room()[position] / byteUnit);
    }

    ConstraintSolver.Outcome solve(double effort, SearchListener listener) {
        LinearExprBuilder cost = LinearExpr.newBuilder();
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (recomputations.get(n).size() == 1) {
                cost.addTerm(recomputations.get(n).getFirst(), problem.cost(n) / costUnit);
            } else if (recomputations.get(n).size() > 1) {
                IntVar count = model.newIntVar(0, problem.nodeCount(), "repeats" + n);
                recomputations.get(n).forEach(least -> model.addGreaterOrEqual(count, least));
                cost.addTerm(count, problem.cost(n) / costUnit);
            }
        }
        model.minimize(cost);
        return ConstraintSolver.solve(model, effort, listener);
    }

    /** A bound on the cost of all sequences that the gaps are of; no more than every node once where there are none. */
    long bound(ConstraintSolver.Outcome outcome) {
        boolean impossible = outcome.closed() && outcome.solver().isEmpty();
        long recomputed = impossible ? 0 : Math.clamp(outcome.bound(), 0, MOST / costUnit) * costUnit;
        return cover.cost() + recomputed;
    }
}
