package dev.remat.compiler.plan.build;

import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.plan.RetainedValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which forward values stay in memory for the backward, and why. Starts with those that must: pinned ones, results of
 * nodes that run once or read what is overwritten before the backward begins, outputs, and what takes no memory. Never
 * holds a value that is pinned to be recomputed.
 */
public final class Retention {
    private static final RetainReason[] REASONS = RetainReason.values();
    private static final byte DROPPED = -1;

    private final RematProblem problem;
    private final byte[] reason;

    private Retention(RematProblem problem, byte[] reason) {
        this.problem = problem;
        this.reason = reason;
    }

    /** The least that any plan retains. */
    public static Retention required(RematProblem problem) {
        byte[] reason = new byte[problem.valueCount()];
        Arrays.fill(reason, DROPPED);
        Retention retention = new Retention(problem, reason);
        retention.retainWhatMust();
        return retention;
    }

    /** Another that starts from what this one retains. */
    public Retention copy() {
        return new Retention(problem, reason.clone());
    }

    /** Retains a forward value; the first reason given stays. Without effect on values pinned to be recomputed. */
    public void retain(int value, RetainReason why) {
        int producer = problem.producer(value);
        boolean may = problem.role(producer) == Role.FORWARD && problem.pin(producer) != Pin.RECOMPUTE;
        if (may && reason[value] == DROPPED) {
            reason[value] = (byte) why.ordinal();
        }
    }

    /** Retains every forward value that may be. */
    public void retainAll(RetainReason why) {
        for (int v = 0; v < reason.length; v++) {
            retain(v, why);
        }
    }

    public boolean retained(int value) {
        return reason[value] != DROPPED;
    }

    /** Why a retained value is. */
    public RetainReason reason(int value) {
        return REASONS[reason[value]];
    }

    /** Those of the marked values that are not resident, each with why it is retained. */
    public List<RetainedValue> reasons(boolean[] marked) {
        List<RetainedValue> values = new ArrayList<>();
        for (int v = 0; v < marked.length; v++) {
            if (marked[v] && !problem.resident(v)) {
                values.add(new RetainedValue(v, reason(v)));
            }
        }
        return values;
    }

    /** Retains what takes no memory of its own given what is retained: viewed values, and views of them. */
    public void retainShared() {
        for (int v = reason.length - 1; v >= 0; v--) {
            if (retained(v) && problem.viewOf(v) != ProblemValue.NONE) {
                retain(problem.viewOf(v), RetainReason.SHARED_STORAGE);
            }
        }
        for (int v = 0; v < reason.length; v++) {
            int viewed = problem.viewOf(v);
            if (viewed != ProblemValue.NONE && (retained(viewed) || problem.resident(viewed))) {
                retain(v, RetainReason.SHARED_STORAGE);
            }
        }
    }

    /** Index of the first backward node of the given order; the number of nodes if there is none. */
    public static int firstBackward(RematProblem problem) {
        int n = 0;
        while (n < problem.nodeCount() && problem.role(n) != Role.BACKWARD) {
            n++;
        }
        return n;
    }

    /** Whether there is anything to retain for. */
    public static boolean hasBackward(RematProblem problem) {
        return firstBackward(problem) < problem.nodeCount();
    }

    /** Whether forward nodes stand behind backward ones. */
    public static boolean forwardWaits(RematProblem problem) {
        return IntStream.range(firstBackward(problem), problem.nodeCount())
                .anyMatch(n -> problem.role(n) == Role.FORWARD);
    }

    private void retainWhatMust() {
        Overwrites overwrites = Overwrites.of(problem);
        int firstBackward = firstBackward(problem);
        for (int n = 0; n < problem.nodeCount(); n++) {
            boolean pinned = problem.pin(n).isKept();
            boolean once = problem.once(n) || overwrites.readsOverwrittenBefore(n, firstBackward);
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                if (pinned) {
                    retain(v, RetainReason.PIN);
                } else if (once) {
                    retain(v, RetainReason.NOT_RECOMPUTABLE);
                } else if (problem.output(v)) {
                    retain(v, RetainReason.OUTPUT);
                } else if (problem.bytes(v) == 0 && problem.viewOf(v) == ProblemValue.NONE) {
                    retain(v, RetainReason.SMALL);
                }
            }
        }
        retainShared();
    }
}
