package dev.remat.compiler.plan.bound;

import com.google.ortools.sat.BoolVar;
import com.google.ortools.sat.LinearArgument;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import com.google.ortools.sat.Literal;
import dev.remat.compiler.plan.bound.GapCover.Gap;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds to a {@link CoverProgram} what recomputations need: the line is cut into stages after some of its nodes, and
 * what runs in a stage reads what runs in it too or what is in memory when it begins (after Jain et al., 2020,
 * Checkmate, with stages of several nodes). Recomputations within the stage of the first run are not looked at, nor
 * those of other nodes than the line's.
 */
final class StageProgram {
    private final RematProblem problem;
    private final KnownOrder order;
    private final CoverProgram program;
    /** Per position of the line: its stage; a stage ends with a node after which it is cut. */
    private final int[] stage;

    private final int stages;
    /** Per stage and node: whether it runs again there; null where that is not looked at. */
    private final BoolVar[][] runs;
    /** Per stage and storage: whether it is in memory when the stage begins; null where that is not looked at. */
    private final BoolVar[][] held;

    private StageProgram(RematProblem problem, KnownOrder order, CoverProgram program, int[] cuts) {
        this.problem = problem;
        this.order = order;
        this.program = program;
        stage = new int[order.line().length];
        int next = 0;
        for (int p = 0; p < stage.length; p++) {
            stage[p] = next;
            next += next < cuts.length && cuts[next] == p ? 1 : 0;
        }
        stages = cuts.length + 1;
        runs = new BoolVar[stages][problem.nodeCount()];
        held = new BoolVar[stages][problem.valueCount()];
    }

    /** @param cuts positions, ascending; memory is limited there */
    static void addTo(CoverProgram program, RematProblem problem, KnownOrder order, int[] cuts) {
        StageProgram add = new StageProgram(problem, order, program, cuts);
        add.declare();
        for (int k = 0; k < add.stages; k++) {
            for (int position = 0; position < add.stage.length; position++) {
                add.connect(k, order.line()[position]);
            }
        }
        for (int k = 0; k < cuts.length; k++) {
            add.limitMemory(k, cuts[k]);
        }
    }

    private int firstStage(int node) {
        return order.inLine(node) ? stage[order.last()[node]] : stages;
    }

    private void declare() {
        int[] lastUse = lastUses();
        for (int node : order.line()) {
            List<BoolVar> again = new ArrayList<>();
            boolean onlyOnce = problem.once(node) || problem.pin(node).isKept();
            for (int k = firstStage(node) + 1; k <= lastUse[node]; k++) {
                if (!onlyOnce) {
                    runs[k][node] = program.model().newBoolVar("runs" + k + "." + node);
                    again.add(runs[k][node]);
                }
                for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                    if (problem.storage(v) == v) {
                        held[k][v] = program.model().newBoolVar("held" + k + "." + v);
                    }
                }
            }
            if (!again.isEmpty() && problem.pin(node) != Pin.RECOMPUTE) {
                program.addRecomputations(node, LinearExpr.sum(again.toArray(LinearArgument[]::new)));
            }
        }
    }

    /** Per node: the last stage in which something runs first that needs it, if only by way of recomputations. */
    private int[] lastUses() {
        int[] last = new int[problem.nodeCount()];
        for (int n = last.length - 1; n >= 0; n--) {
            last[n] = Math.max(last[n], order.inLine(n) ? firstStage(n) : 0);
            for (int k = 0; k < problem.inputCount(n); k++) {
                int producer = problem.producer(problem.input(n, k));
                last[producer] = Math.max(last[producer], last[n]);
            }
        }
        return last;
    }

    private boolean runsFirst(int k, int node) {
        return firstStage(node) == k;
    }

    private void connect(int k, int node) {
        boolean first = runsFirst(k, node);
        if (first || runs[k][node] != null) {
            for (int i = 0; i < problem.inputCount(node); i++) {
                int value = problem.input(node, i);
                List<Literal> any = new ArrayList<>();
                if (!first) {
                    any.add(runs[k][node].not());
                }
                addSource(any, k, k, problem.producer(value), problem.storage(value));
            }
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node) && k > 0; v++) {
            if (held[k][v] != null) {
                List<Literal> any = new ArrayList<>(List.of(held[k][v].not()));
                addSource(any, k - 1, k - 1, node, v);
            }
        }
    }

    /** One of {@code any}, or the node runs in stage {@code k}, or the storage is in memory when the stage begins. */
    private void addSource(List<Literal> any, int k, int begin, int node, int storage) {
        boolean onlyOnce = problem.once(node) || problem.pin(node).isKept();
        boolean known = order.inLine(node) && !runsFirst(k, node) && held[begin][storage] != null;
        if (!known || problem.resident(storage) || runs[k][node] == null && !onlyOnce) {
            return;
        }
        if (runs[k][node] != null) {
            any.add(runs[k][node]);
        }
        any.add(held[begin][storage]);
        program.model().addBoolOr(any.toArray(Literal[]::new));
    }

    /** What is in memory when the next stage begins was there while the last node of stage {@code k} ran. */
    private void limitMemory(int k, int position) {
        int last = order.line()[position];
        boolean[] counted = new boolean[problem.valueCount()];
        for (int i = 0; i < problem.inputCount(last); i++) {
            counted[problem.storage(problem.input(last, i))] = true;
        }
        LinearExprBuilder sum = LinearExpr.newBuilder();
        List<Gap> gaps = program.cover().gaps();
        for (int g = 0; g < gaps.size(); g++) {
            Gap gap = gaps.get(g);
            if (gap.from() <= position && position < gap.to()) {
                BoolVar inMemory = held[k + 1][gap.storage()];
                if (inMemory == null) {
                    program.addBytes(sum, program.stays(g), gap.bytes());
                } else {
                    program.model().addImplication(program.stays(g), inMemory);
                }
            }
        }
        for (int v = 0; v < counted.length; v++) {
            int producer = problem.producer(v);
            boolean always = problem.once(producer) || problem.pin(producer).isKept();
            if (held[k + 1][v] != null && !counted[v] && producer != last && !always) {
                program.addBytes(sum, held[k + 1][v], problem.bytes(v));
            }
        }
        program.limitMemory(position, sum);
    }
}
