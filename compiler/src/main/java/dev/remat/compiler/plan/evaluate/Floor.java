package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.RematProblem;

/**
 * The least that any sequence needs: what is resident, and the largest working set of a single node or all outputs at
 * the end. Proven, for every node must run with its inputs, results and workspace in memory at once.
 *
 * @param bytes residents included
 * @param node the node that sets it, or -1 where residents or outputs do
 */
public record Floor(long bytes, int node) {
    public static Floor of(RematProblem problem) {
        long residents = problem.residentBytes();
        WorkingSets sets = new WorkingSets(problem);
        Floor floor = new Floor(residents + sets.ofOutputs(), -1);
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (!problem.residentNode(n)) {
                long bytes = residents + sets.of(n);
                if (bytes > floor.bytes()) {
                    floor = new Floor(bytes, n);
                }
            }
        }
        return floor;
    }
}
