package dev.remat.compiler.plan.exact;

import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CumulativeConstraint;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearArgument;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import com.google.ortools.sat.Literal;
import com.google.ortools.util.Domain;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cheapest recomputations of the free nodes of a sequence as a constraint program: every computation starts an
 * interval in which what it makes is retained, every reader lies in an interval of each of its inputs, and the bytes of
 * intervals that overlap fit the budget (after Bartan et al., 2023, MOCCASIN).
 */
final class RetentionModel {
    /**
     * One computation of a node.
     *
     * @param at time at which it runs
     * @param active whether it runs
     * @param serves literals of which one holds if it runs, for else nothing reads what it makes
     */
    private record Run(LinearArgument at, Literal active, List<Literal> serves) {}

    /**
     * A result of one computation.
     *
     * @param end the last time at which it is read
     * @param reused literals of which one may hold: another reuses the storage at the end
     */
    private record Interval(IntVar end, List<Literal> reused) {}

    private final RematProblem problem;
    private final EventLine line;
    private final Surroundings around;
    private final int[] most;
    /** Per node: its events that are no slots. */
    private final IntList[] events;

    private final IntList[] slots;
    private final CpModel model = ConstraintSolver.newModel();
    private final List<List<Run>> runs = new ArrayList<>();
    private final List<List<Interval>> intervals = new ArrayList<>();
    private final LinearExprBuilder cost = LinearExpr.newBuilder();
    private long constantCost;
    private boolean exact = true;

    /** @param most per free node the largest number of computations */
    RetentionModel(RematProblem problem, EventLine line, Surroundings around, int[] most, long budget) {
        this.problem = problem;
        this.line = line;
        this.around = around;
        this.most = most;
        events = new IntList[problem.nodeCount()];
        slots = new IntList[problem.nodeCount()];
        addRuns();
        for (int v = 0; v < problem.valueCount(); v++) {
            addReaders(v);
        }
        for (List<Run> list : runs) {
            for (int i = 1; i < list.size(); i++) {
                List<Literal> clause = new ArrayList<>(list.get(i).serves());
                clause.add(list.get(i).active().not());
                model.addBoolOr(clause);
            }
        }
        addMemory(budget);
        model.minimize(cost);
    }

    CpModel model() {
        return model;
    }

    /** Whether no sequence in the order of this one, of nodes computed no more often, is left out. */
    boolean exact() {
        return exact;
    }

    /** Number of constraints. */
    int size() {
        return model.getBuilder().getConstraintsCount();
    }

    /** Cost of what is no part of the objective. */
    long constantCost() {
        return constantCost;
    }

    /** Leaves out what costs more. */
    void costAtMost(long most) {
        model.addLessOrEqual(cost, most - constantCost);
    }

    /** The sequence that a solution stands for. */
    OperatorSequence sequence(String strategy, CpSolver solver) {
        boolean[] marked = new boolean[line.size()];
        for (int e = 0; e < marked.length; e++) {
            marked[e] = !line.slot(e) && !around.changing(line.node(e));
        }
        for (List<Run> list : runs) {
            for (Run run : list) {
                if (solver.booleanValue(run.active())) {
                    marked[around.eventAt((int) solver.value(run.at()))] = true;
                }
            }
        }
        return line.run(strategy, marked);
    }

    /** Starts the search from what the sequence does. */
    void hint(OperatorSequence sequence) {
        int[] computations = new int[problem.nodeCount()];
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            List<Run> list = runs.get(node);
            int i = computations[node]++;
            if (around.changing(node) && i > 0 && i < list.size()) {
                model.addHint(list.get(i).active(), true);
                if (list.get(i).at() instanceof IntVar at && line.event(t) != EventLine.NONE) {
                    model.addHint(at, around.time(line.event(t)));
                }
            }
        }
        for (int n = 0; n < computations.length; n++) {
            for (int i = Math.max(1, computations[n]); i < runs.get(n).size(); i++) {
                model.addHint(runs.get(n).get(i).active(), false);
            }
        }
    }

    private void addRuns() {
        Arrays.setAll(events, n -> new IntList());
        Arrays.setAll(slots, n -> new IntList());
        for (int e = 0; e < line.size(); e++) {
            (line.slot(e) ? slots : events)[line.node(e)].add(e);
        }
        for (int n = 0; n < events.length; n++) {
            runs.add(around.changing(n) ? runs(n) : List.of());
            int constant =
                    problem.residentNode(n) ? 1 : around.changing(n) ? Math.min(1, events[n].size()) : events[n].size();
            constantCost += problem.cost(n) * constant;
        }
        for (int v = 0; v < problem.valueCount(); v++) {
            List<Interval> list = new ArrayList<>();
            for (Run run : problem.resident(v) ? List.<Run>of() : runs.get(problem.producer(v))) {
                IntVar end = model.newIntVar(0, around.times() - 1, "");
                model.addGreaterOrEqual(end, run.at());
                list.add(new Interval(end, new ArrayList<>()));
            }
            intervals.add(list);
        }
    }

    private List<Run> runs(int node) {
        List<Run> list = new ArrayList<>();
        for (int i = 0; i < events[node].size(); i++) {
            Literal active = i == 0 ? model.trueLiteral() : optional(node);
            list.add(new Run(LinearExpr.constant(around.time(events[node].get(i))), active, new ArrayList<>()));
        }
        long[] times =
                Arrays.stream(slots[node].toArray()).mapToLong(around::time).toArray();
        for (int i = list.size(); times.length > 0 && i < most[node]; i++) {
            IntVar at = model.newIntVarFromDomain(Domain.fromValues(times), "");
            Literal active = optional(node);
            if (i > 1) {
                model.addImplication(active, list.getLast().active());
                model.addLessThan(list.getLast().at(), at).onlyEnforceIf(active);
            }
            list.add(new Run(at, active, new ArrayList<>()));
        }
        return list;
    }

    private Literal optional(int node) {
        Literal active = model.newBoolVar("");
        cost.addTerm(active, problem.cost(node));
        return active;
    }

    private void addReaders(int value) {
        int producer = problem.producer(value);
        List<Run> made = runs.get(producer);
        boolean always = problem.resident(value) && problem.pin(producer) != Pin.RECOMPUTE;
        if (always || made.isEmpty()) {
            return;
        }
        boolean viewed = false;
        for (int k = 0; k < problem.readerCount(value); k++) {
            int reader = problem.reader(value, k);
            boolean backward = problem.role(reader) == Role.BACKWARD;
            for (int w = problem.firstResult(reader); w < problem.endResult(reader); w++) {
                viewed |= problem.viewOf(w) == value;
            }
            if (around.changing(reader)) {
                List<Run> list = runs.get(reader);
                for (int j = 0; j < list.size(); j++) {
                    boolean again = backward || j > 0;
                    List<Literal> chosen =
                            choose(value, list.get(j).at(), list.get(j).active(), again);
                    shareStorage(value, reader, j, chosen);
                }
            } else {
                for (int j = 0; j < events[reader].size(); j++) {
                    LinearArgument at = LinearExpr.constant(around.time(events[reader].get(j)));
                    choose(value, at, model.trueLiteral(), backward || j > 0);
                }
            }
        }
        if (problem.output(value) && !problem.resident(value)) {
            keepLast(value);
        }
        for (int i = 1; !viewed && !problem.resident(value) && i < made.size(); i++) {
            model.addLessThan(intervals.get(value).get(i - 1).end(), made.get(i).at())
                    .onlyEnforceIf(made.get(i).active());
        }
    }

    /** Retains the last computation of an output to the end, at which it may have been made. */
    private void keepLast(int value) {
        List<Run> made = runs.get(problem.producer(value));
        List<Literal> last = new ArrayList<>();
        for (int i = 0; i < made.size(); i++) {
            Literal choice = made.size() == 1 ? model.trueLiteral() : model.newBoolVar("");
            last.add(choice);
            made.get(i).serves().add(choice);
            model.addImplication(choice, made.get(i).active());
            if (i + 1 < made.size()) {
                model.addImplication(choice, made.get(i + 1).active().not());
            }
            model.addGreaterOrEqual(intervals.get(value).get(i).end(), around.times() - 1L)
                    .onlyEnforceIf(choice);
        }
        model.addExactlyOne(last);
    }

    /** Which computation of a value a reader at a time reads; one literal for each, false for those it cannot. */
    private List<Literal> choose(int value, LinearArgument at, Literal active, boolean again) {
        int producer = problem.producer(value);
        List<Run> made = runs.get(producer);
        List<Literal> chosen = new ArrayList<>();
        List<Literal> one = new ArrayList<>();
        for (int i = 0; i < made.size(); i++) {
            boolean forbidden = i == 0 && again && problem.pin(producer) == Pin.RECOMPUTE;
            Literal choice = forbidden ? model.falseLiteral() : made.size() == 1 ? active : model.newBoolVar("");
            chosen.add(choice);
            if (forbidden) {
                continue;
            }
            one.add(choice);
            made.get(i).serves().add(choice);
            if (i > 0) {
                model.addImplication(choice, made.get(i).active());
                model.addLessThan(made.get(i).at(), at).onlyEnforceIf(choice);
            }
            if (!problem.resident(value)) {
                model.addGreaterOrEqual(intervals.get(value).get(i).end(), at).onlyEnforceIf(choice);
            }
        }
        one.add(active.not());
        model.addExactlyOne(one);
        return chosen;
    }

    /** Results of a reader that lie in the storage of what it reads, or reuse it. */
    private void shareStorage(int value, int reader, int run, List<Literal> chosen) {
        for (int w = problem.firstResult(reader); w < problem.endResult(reader) && !problem.resident(value); w++) {
            boolean takes = problem.inPlaceOf(w) == value && problem.bytes(problem.storage(value)) == problem.bytes(w);
            exact &= !takes || problem.viewOf(value) == ProblemValue.NONE;
            for (int i = 0; i < chosen.size(); i++) {
                IntVar end = intervals.get(value).get(i).end();
                if (problem.viewOf(w) == value) {
                    model.addGreaterOrEqual(end, intervals.get(w).get(run).end())
                            .onlyEnforceIf(chosen.get(i));
                } else if (takes && problem.viewOf(value) == ProblemValue.NONE) {
                    Literal reuses = model.newBoolVar("");
                    model.addImplication(reuses, chosen.get(i));
                    model.addLessOrEqual(end, runs.get(reader).get(run).at()).onlyEnforceIf(reuses);
                    intervals.get(value).get(i).reused().add(reuses);
                }
            }
        }
    }

    private void addMemory(long budget) {
        long unit = 0;
        long least = Long.MAX_VALUE;
        for (int n = 0; n < runs.size(); n++) {
            if (!runs.get(n).isEmpty()) {
                unit = gcd(unit, problem.workspaceBytes(n));
                for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                    unit = gcd(unit, problem.bytes(v));
                }
            }
        }
        unit = Math.max(1, unit);
        for (int at = 0; at < around.times(); at++) {
            least = Math.min(least, around.constantBytes(at));
        }
        long capacity = Math.max(0, Math.floorDiv(budget - least, unit));
        CumulativeConstraint memory = model.addCumulative(capacity);
        int from = 0;
        for (int at = 0; at < around.times(); at++) {
            boolean same = at + 1 < around.times() && around.constantBytes(at + 1) == around.constantBytes(at);
            long taken = capacity - Math.floorDiv(budget - around.constantBytes(at), unit);
            if (!same && taken > 0) {
                memory.addDemand(model.newFixedInterval(from, at + 1L - from, ""), taken);
            }
            from = same ? from : at + 1;
        }
        for (int n = 0; n < runs.size(); n++) {
            for (int i = 0; i < runs.get(n).size(); i++) {
                addMemory(memory, n, i, unit);
            }
        }
    }

    private void addMemory(CumulativeConstraint memory, int node, int run, long unit) {
        Run made = runs.get(node).get(run);
        if (problem.workspaceBytes(node) > 0) {
            memory.addDemand(
                    model.newOptionalFixedSizeIntervalVar(made.at(), 1, made.active(), ""),
                    problem.workspaceBytes(node) / unit);
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (problem.resident(v) || problem.bytes(v) == 0) {
                continue;
            }
            Interval interval = intervals.get(v).get(run);
            LinearArgument until = LinearExpr.affine(interval.end(), 1, 1);
            if (!interval.reused().isEmpty()) {
                IntVar left = model.newIntVar(0, around.times(), "");
                LinearExprBuilder taken = LinearExpr.newBuilder().add(left);
                interval.reused().forEach(taken::add);
                model.addAtMostOne(interval.reused());
                model.addGreaterOrEqual(taken, until);
                until = left;
            }
            IntVar size = model.newIntVar(1, around.times(), "");
            memory.addDemand(
                    model.newOptionalIntervalVar(made.at(), size, until, made.active(), ""), problem.bytes(v) / unit);
        }
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
