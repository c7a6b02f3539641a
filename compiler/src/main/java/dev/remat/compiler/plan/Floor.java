package dev.remat.compiler.plan;

import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

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
        int[] countedFor = new int[problem.valueCount()];
        Arrays.fill(countedFor, ProblemValue.NONE);
        long outputs = 0;
        for (int output : problem.outputs()) {
            outputs += count(problem, problem.storage(output), problem.nodeCount(), countedFor);
        }
        Floor floor = new Floor(residents + outputs, -1);
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (!problem.residentNode(n)) {
                long bytes = residents + workingSet(problem, n, countedFor);
                if (bytes > floor.bytes()) {
                    floor = new Floor(bytes, n);
                }
            }
        }
        return floor;
    }

    private static long workingSet(RematProblem problem, int node, int[] countedFor) {
        long sum = problem.workspaceBytes(node);
        for (int k = 0; k < problem.inputCount(node); k++) {
            sum += count(problem, problem.storage(problem.input(node, k)), node, countedFor);
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            sum += mayTakeOver(problem, v) ? 0 : problem.bytes(v);
        }
        return sum;
    }

    /** Bytes of a storage that is neither resident nor counted for the same node before. */
    private static long count(RematProblem problem, int storage, int node, int[] countedFor) {
        if (problem.resident(storage) || countedFor[storage] == node) {
            return 0;
        }
        countedFor[storage] = node;
        return problem.bytes(storage);
    }

    private static boolean mayTakeOver(RematProblem problem, int value) {
        int replaced = problem.inPlaceOf(value);
        return replaced != ProblemValue.NONE && !problem.resident(replaced)
                && problem.bytes(problem.storage(replaced)) == problem.bytes(value);
    }
}
