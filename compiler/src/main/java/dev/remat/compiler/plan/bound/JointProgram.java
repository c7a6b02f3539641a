package dev.remat.compiler.plan.bound;

import com.google.ortools.sat.BoolVar;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.GapCover.Gap;
import dev.remat.compiler.plan.exact.ConstraintSolver;
import dev.remat.ir.plan.RematProblem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A bound on the time of every step that recomputes and moves values, as an integer program for CP-SAT: in each gap of
 * {@link GapCover} a storage stays, is recomputed, or is moved, and the time is at least
 *
 * <ul>
 *   <li>the cost of all nodes and of what is recomputed, in the compute lane;
 *   <li>what storing takes of all storages that are moved, and what fetching takes in all gaps, in their lanes;
 *   <li>for each position of the line: what must run from there on, and in front of it storing what of the missing is
 *       not recomputed. For what is not on the device there and was moved has crossed the link before;
 *   <li>the same from behind: what must have run up to there, and after it fetching that.
 * </ul>
 *
 * <p>A value may leave late in its gap or come back early. So the last two speak of bytes that are missing at the
 * position and not of certain values. Several tiers count as one with all their rates. Rounding only lowers the bound.
 */
final class JointProgram {
    private static final int BYTE_BITS = 24;
    private static final int TIME_BITS = 36;

    private final GapCover cover;
    private final CpModel model = ConstraintSolver.newModel();
    private final List<Gap> gaps;
    /** Per gap: whether the storage is recomputed in it, and whether it is moved; empty where it cannot be. */
    private final List<Optional<BoolVar>> again;

    private final List<Optional<BoolVar>> moved;
    private final LaneTimes lanes;
    private final long unit;
    private final long byteUnit;
    private final IntVar time;

    JointProgram(RematProblem problem, KnownOrder order, GapCover cover) {
        this.cover = cover;
        lanes = new LaneTimes(problem, order);
        gaps = cover.gaps();
        unit = Math.max(1, problem.baselineCost() >> TIME_BITS);
        long most = 1;
        for (Gap gap : gaps) {
            most = Math.max(most, gap.bytes());
        }
        byteUnit = Math.max(1, most >> BYTE_BITS);
        again = gaps.stream()
                .map(gap -> gap.cost() == GapCover.NEVER
                        ? Optional.<BoolVar>empty()
                        : Optional.of(model.newBoolVar("again")))
                .toList();
        moved = gaps.stream()
                .map(gap -> problem.movable(gap.storage())
                        ? Optional.of(model.newBoolVar("moved"))
                        : Optional.<BoolVar>empty())
                .toList();
        for (int g = 0; g < gaps.size(); g++) {
            if (again.get(g).isPresent() && moved.get(g).isPresent()) {
                model.addAtMostOne(List.of(again.get(g).get(), moved.get(g).get()));
            }
        }
        time = model.newIntVar(0, LaneTimes.MOST / unit, "time");
        fillLanes();
        for (int position : cover.pressed()) {
            limit(position);
        }
        model.minimize(time);
    }

    /** No sequence that the gaps are of takes less time; the cost of every node where nothing else is certain. */
    long bound(double effort, SearchListener listener) {
        ConstraintSolver.Outcome outcome = ConstraintSolver.solve(model, effort, listener);
        boolean impossible = outcome.closed() && outcome.solver().isEmpty();
        // The program's time is the true one divided by the unit and rounded up.
        long units = impossible ? 0 : Math.clamp(outcome.bound() - 1, 0, LaneTimes.MOST / unit);
        return Math.max(cover.cost(), unit == 1 ? Math.max(0, outcome.bound()) : units * unit);
    }

    private void fillLanes() {
        LinearExprBuilder compute = LinearExpr.newBuilder().add(floor(cover.cost()));
        LinearExprBuilder store = LinearExpr.newBuilder();
        LinearExprBuilder fetch = LinearExpr.newBuilder();
        Map<Integer, BoolVar> stored = new LinkedHashMap<>();
        for (int g = 0; g < gaps.size(); g++) {
            Gap gap = gaps.get(g);
            again.get(g).ifPresent(var -> compute.addTerm(var, floor(gap.cost())));
            if (moved.get(g).isPresent()) {
                fetch.addTerm(moved.get(g).get(), floor(lanes.fetch(gap.bytes())));
                BoolVar once = stored.computeIfAbsent(gap.storage(), v -> {
                    BoolVar var = model.newBoolVar("stored");
                    store.addTerm(var, floor(lanes.store(gap.bytes())));
                    return var;
                });
                model.addImplication(moved.get(g).get(), once);
            }
        }
        model.addGreaterOrEqual(time, compute);
        model.addGreaterOrEqual(time, store);
        model.addGreaterOrEqual(time, fetch);
    }

    private void limit(int position) {
        LinearExprBuilder missing = LinearExpr.newBuilder();
        LinearExprBuilder outTime = LinearExpr.newBuilder().add(time);
        LinearExprBuilder inTime = LinearExpr.newBuilder().add(time);
        long all = 0;
        long units = 0;
        for (int g = 0; g < gaps.size(); g++) {
            Gap gap = gaps.get(g);
            boolean here = gap.from() <= position && position < gap.to();
            if (here) {
                all += gap.bytes();
                units += gap.bytes() / byteUnit;
                again.get(g).ifPresent(var -> missing.addTerm(var, gap.bytes() / byteUnit));
                moved.get(g).ifPresent(var -> missing.addTerm(var, gap.bytes() / byteUnit));
            }
            if (again.get(g).isPresent()) {
                long credit = here ? floor(lanes.storing(gap.bytes())) + 2 : 0;
                outTime.addTerm(again.get(g).get(), gap.from() > position ? -floor(gap.cost()) : credit);
                long back = here ? floor(lanes.fetching(gap.bytes())) + 2 : 0;
                boolean ended = gap.to() <= position && lanes.endsAtReader(gap);
                inTime.addTerm(again.get(g).get(), ended ? -floor(gap.cost()) : back);
            }
        }
        long need = all - cover.room()[position];
        model.addGreaterOrEqual(missing, units - cover.room()[position] / byteUnit);
        model.addGreaterOrEqual(outTime, floor(lanes.behind(position)) + floor(lanes.storing(need)));
        model.addGreaterOrEqual(inTime, floor(lanes.front(position)) + floor(lanes.fetching(need)));
    }

    /** In units of time. */
    private long floor(long nanos) {
        return nanos / unit;
    }
}
