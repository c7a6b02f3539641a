package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;

/** Where on a {@link StepLine} a node may run, so that the sequence stays valid. */
final class StepRules {
    private final RematProblem problem;
    private final Overwrites overwrites;
    private final StepLine line;
    /** Per node: the values whose content it destroys. */
    private final IntList[] destroyed;

    private final boolean[] recomputable;

    StepRules(RematProblem problem, Overwrites overwrites, StepLine line) {
        this.problem = problem;
        this.overwrites = overwrites;
        this.line = line;
        destroyed = new IntList[problem.nodeCount()];
        recomputable = new boolean[problem.nodeCount()];
        for (int v = 0; v < problem.valueCount(); v++) {
            int writer = overwrites.overwriter(v);
            if (writer != Overwrites.NONE) {
                destroyed[writer] = destroyed[writer] == null ? new IntList() : destroyed[writer];
                destroyed[writer].add(v);
            }
        }
        for (int n = 0; n < recomputable.length; n++) {
            recomputable[n] =
                    problem.role(n) == Role.FORWARD && !problem.once(n) && problem.pin(n) == Pin.NONE && ownsStorage(n);
        }
    }

    /** Whether the node may run several times, as it pleases the search, and whether that can free memory. */
    boolean recomputable(int node) {
        return recomputable[node];
    }

    /** Whether the search may move the first run of the node. */
    boolean movable(int node) {
        return !problem.residentNode(node) && problem.pin(node) != Pin.RECOMPUTE;
    }

    /** Whether a run of the node at {@code slot} finds what it reads, and destroys nothing that others read later. */
    boolean mayRun(int node, int slot) {
        boolean again = line.first(node) < slot || problem.role(node) == Role.BACKWARD;
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            int producer = problem.producer(v);
            int writer = overwrites.overwriter(v);
            boolean computed = problem.residentNode(producer) || line.first(producer) < slot;
            boolean destroyedBefore = writer != Overwrites.NONE && writer != node && line.first(writer) < slot;
            if (!computed || destroyedBefore || again && readsPinned(producer, slot)) {
                return false;
            }
        }
        int turn = problem.turnBefore(node);
        boolean inTurn = turn == RematProblem.NO_TURN || line.first(turn) < slot;
        return inTurn && (problem.writes(node).isEmpty() || mayWrite(node, slot));
    }

    /** The first slot after the first runs of all that the node reads, and of the one that is in turn before it. */
    int afterInputs(int node) {
        int turn = problem.turnBefore(node);
        int after = turn == RematProblem.NO_TURN ? 0 : line.first(turn) + 1;
        for (int k = 0; k < problem.inputCount(node); k++) {
            int producer = problem.producer(problem.input(node, k));
            after = problem.residentNode(producer) ? after : Math.max(after, line.first(producer) + 1);
        }
        return after;
    }

    /** Whether all readers of the node still find it computed if its first run stands at {@code slot}. */
    boolean servesAllFrom(int node, int slot) {
        return slot < firstReader(node);
    }

    /** Slot of the first step that reads the node, or is in turn behind it; {@link StepLine#END} if none is. */
    int firstReader(int node) {
        int turn = problem.turnAfter(node);
        int first = turn == RematProblem.NO_TURN ? StepLine.END : line.first(turn);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            for (int k = 0; k < problem.readerCount(v); k++) {
                first = Math.min(first, line.first(problem.reader(v, k)));
            }
        }
        return first;
    }

    private boolean readsPinned(int producer, int slot) {
        return problem.pin(producer) == Pin.RECOMPUTE && line.before(producer, slot) == line.first(producer);
    }

    private boolean mayWrite(int node, int slot) {
        for (int k = 0; k < problem.writes(node).size(); k++) {
            int previous = overwrites.previousWriter(node, k);
            int next = overwrites.nextWriter(node, k);
            boolean early = previous != Overwrites.NONE && line.first(previous) >= slot;
            boolean late = next != Overwrites.NONE && line.first(next) <= slot;
            if (early || late) {
                return false;
            }
        }
        for (int i = 0; destroyed[node] != null && i < destroyed[node].size(); i++) {
            int v = destroyed[node].get(i);
            for (int k = 0; k < problem.readerCount(v); k++) {
                int reader = problem.reader(v, k);
                if (reader != node && line.last(reader) >= slot) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean ownsStorage(int node) {
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (!problem.resident(v)) {
                return true;
            }
        }
        return false;
    }
}
