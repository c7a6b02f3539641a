package dev.remat.compiler.plan.exact;

import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverStatus;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.natives.NativeLibraries;
import java.time.Duration;
import java.util.Optional;

/**
 * OR-Tools' CP-SAT with one worker, a fixed seed and a limit on counted work, so that the same model has the same
 * answer every time. Its native library is unpacked and loaded when first asked for.
 */
public final class ConstraintSolver {
    private static final int SEED = 2023;
    private static final NativeLibraries LIBRARIES = NativeLibraries.listed(
            ConstraintSolver.class, "OR-Tools", "com.google.ortools:ortools-linux-x86-64", "ortools-linux-x86-64/");
    private static final Duration WATCH = Duration.ofMillis(50);
    private static final String INSTEAD = "without it, plans are searched for and bounds proven by all other means";
    /** Beside what the objective of CP-SAT, a double, loses of an integer. */
    private static final double ROUNDING = 1e-6;

    /**
     * What a search found.
     *
     * @param solver holds the values of the best solution; empty if there is none
     * @param closed whether the search ended because nothing is left: the solution is optimal, or there is none
     * @param bound no solution has a smaller objective; meaningless if there is no solution and the search is closed
     */
    public record Outcome(Optional<CpSolver> solver, boolean closed, long bound, double effort) {}

    private ConstraintSolver() {}

    /** What {@link #newModel} loads. */
    public static NativeLibraries libraries() {
        return LIBRARIES;
    }

    /**
     * Whether there is a solver on this machine, for a search that has other means; where not, users are told once.
     *
     * @throws dev.remat.ir.natives.LibraryUnavailableException if the user's setting for libraries is a mistake
     */
    public static boolean isAvailable() {
        return LIBRARIES.loadOr(INSTEAD);
    }

    /**
     * An empty model; all models begin here, since writing one takes the library too.
     *
     * @throws dev.remat.ir.natives.LibraryUnavailableException if OR-Tools cannot be loaded
     */
    public static CpModel newModel() {
        LIBRARIES.load();
        return new CpModel();
    }

    /** @param effort limit in CP-SAT's deterministic seconds, very roughly seconds of one core */
    public static Outcome solve(CpModel model, double effort, SearchListener listener) {
        CpSolver solver = new CpSolver();
        // Ctrl-C is the process's; CP-SAT would take it, and keep it.
        solver.getParameters()
                .setNumWorkers(1)
                .setRandomSeed(SEED)
                .setMaxDeterministicTime(effort)
                .setCatchSigintSignal(false);
        CpSolverStatus status = watched(solver, model, listener);
        boolean solved = status == CpSolverStatus.OPTIMAL || status == CpSolverStatus.FEASIBLE;
        boolean closed = status == CpSolverStatus.OPTIMAL || status == CpSolverStatus.INFEASIBLE;
        if (status == CpSolverStatus.MODEL_INVALID) {
            throw new IllegalStateException("invalid constraint program: " + model.validate());
        }
        long bound = (long) Math.ceil(solver.bestObjectiveBound() - ROUNDING);
        return new Outcome(
                solved ? Optional.of(solver) : Optional.empty(),
                closed,
                bound,
                solver.response().getDeterministicTime());
    }

    /** Stops the search when the listener says so. */
    private static CpSolverStatus watched(CpSolver solver, CpModel model, SearchListener listener) {
        if (listener.equals(SearchListener.NONE)) {
            return solver.solve(model);
        }
        Thread watch = Thread.ofVirtual().start(() -> {
            try {
                while (!listener.expired()) {
                    Thread.sleep(WATCH);
                }
                solver.stopSearch();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            return solver.solve(model);
        } finally {
            watch.interrupt();
        }
    }
}
