package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * What a node needs in memory while it runs, whatever was recomputed before: its inputs, results and workspace, without
 * residents. Storage that views share counts once, and a result that may work in place takes nothing.
 */
public final class WorkingSets {
    private final RematProblem problem;
    private final int[] countedFor;

    public WorkingSets(RematProblem problem) {
        this.problem = problem;
        countedFor = new int[problem.valueCount()];
        Arrays.fill(countedFor, ProblemValue.NONE);
    }

    public long of(int node) {
        long sum = problem.workspaceBytes(node);
        for (int k = 0; k < problem.inputCount(node); k++) {
            sum += count(problem.storage(problem.input(node, k)), node);
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            sum += mayRunInPlace(v) ? 0 : problem.bytes(v);
        }
        return sum;
    }

    /** All outputs, which are in memory together at the end. */
    public long ofOutputs() {
        long sum = 0;
        for (int output : problem.outputs()) {
            sum += count(problem.storage(output), problem.nodeCount());
        }
        return sum;
    }

    /** Bytes of a storage that is neither always on the device nor counted for the same node before. */
    private long count(int storage, int node) {
        if (problem.staysOnDevice(storage) || countedFor[storage] == node) {
            return 0;
        }
        countedFor[storage] = node;
        return problem.bytes(storage);
    }

    private boolean mayRunInPlace(int value) {
        int replaced = problem.inPlaceOf(value);
        return replaced != ProblemValue.NONE
                && !problem.resident(replaced)
                && problem.bytes(problem.storage(replaced)) == problem.bytes(value);
    }
}
