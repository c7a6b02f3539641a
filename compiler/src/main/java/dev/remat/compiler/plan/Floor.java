package dev.remat.compiler.plan;

import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;

/**
 * The least that any sequence needs: what is resident, and the largest working set of a single node. Proven, for every
 * node must run with its inputs, results and workspace in memory at once.
 *
 * @param bytes residents included
 * @param node the node that sets it, or -1 where residents alone do
 */
public record Floor(long bytes, int node) {
    public static Floor of(RematProblem problem) {
        long residents = problem.residentBytes();
        Floor floor = new Floor(residents, -1);
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (!problem.residentNode(n)) {
                long bytes = residents + workingSet(problem, n);
                if (bytes > floor.bytes()) {
                    floor = new Floor(bytes, n);
                }
            }
        }
        return floor;
    }

    private static long workingSet(RematProblem problem, int node) {
        long sum = problem.workspaceBytes(node);
        for (int k = 0; k < problem.inputCount(node); k++) {
            int storage = problem.storage(problem.input(node, k));
            boolean counted = problem.resident(storage) || countedBefore(problem, node, k, storage);
            sum += counted ? 0 : problem.bytes(storage);
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            sum += problem.inPlaceOf(v) == ProblemValue.NONE ? problem.bytes(v) : 0;
        }
        return sum;
    }

    private static boolean countedBefore(RematProblem problem, int node, int position, int storage) {
        for (int k = 0; k < position; k++) {
            if (problem.storage(problem.input(node, k)) == storage) {
                return true;
            }
        }
        return false;
    }
}
