package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * What is certain of the order in which nodes run for the first time: a line of nodes that run one after the other, and
 * of every other node the last of the line before it and the first after it.
 *
 * @param line nodes
 * @param last per node: position in the line of the last that runs before it, -1 for none; its own if it is in the line
 * @param next per node: position of the first that runs after it, the line's length for none; its own if in the line
 */
record KnownOrder(int[] line, int[] last, int[] next) {
    private static final int NONE = -1;

    /** For all sequences that {@link BoundScope#GIVEN_ORDER} covers: all nodes but updates stand in the line. */
    static KnownOrder given(RematProblem problem) {
        IntList line = new IntList();
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (!problem.residentNode(n) && problem.role(n) != Role.UPDATE) {
                line.add(n);
            }
        }
        return of(problem, line.toArray());
    }

    /** For all sequences: a longest path of the graph. */
    static KnownOrder always(RematProblem problem) {
        int[] length = new int[problem.nodeCount()];
        int[] before = new int[problem.nodeCount()];
        int end = NONE;
        for (int n = 0; n < length.length; n++) {
            before[n] = NONE;
            for (int k = 0; k < problem.inputCount(n); k++) {
                int producer = problem.producer(problem.input(n, k));
                if (!problem.residentNode(producer) && length[producer] > length[n]) {
                    length[n] = length[producer];
                    before[n] = producer;
                }
            }
            length[n]++;
            end = !problem.residentNode(n) && (end == NONE || length[n] > length[end]) ? n : end;
        }
        IntList line = new IntList();
        for (int n = end; n != NONE; n = before[n]) {
            line.add(n);
        }
        return of(problem, line.reversed().toArray());
    }

    boolean inLine(int node) {
        return last[node] == next[node];
    }

    private static KnownOrder of(RematProblem problem, int[] line) {
        int nodes = problem.nodeCount();
        int[] position = new int[nodes];
        Arrays.fill(position, NONE);
        for (int p = 0; p < line.length; p++) {
            position[line[p]] = p;
        }
        int[] last = position.clone();
        int[] next = new int[nodes];
        Arrays.fill(next, line.length);
        for (int n = 0; n < nodes; n++) {
            for (int k = 0; k < problem.inputCount(n) && position[n] == NONE; k++) {
                last[n] = Math.max(last[n], last[problem.producer(problem.input(n, k))]);
            }
        }
        for (int n = nodes - 1; n >= 0; n--) {
            next[n] = position[n] == NONE ? next[n] : position[n];
            for (int k = 0; k < problem.inputCount(n); k++) {
                int producer = problem.producer(problem.input(n, k));
                next[producer] = Math.min(next[producer], next[n]);
            }
        }
        return new KnownOrder(line, last, next);
    }
}
