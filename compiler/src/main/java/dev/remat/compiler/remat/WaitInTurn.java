package dev.remat.compiler.remat;

import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Update;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * Keeps nodes that wait for a message behind the messages that the given order has in front of them. Planners may
 * change the order of nodes, and a stage that waits earlier than it is to may wait for what another makes of a message
 * that it has not sent: then both stand still. So these messages, and what they need, run in front of it. Likewise
 * losses in front of the first node that changes what outlives the step, for all stages stop there until it is known
 * whether they are numbers.
 */
public final class WaitInTurn {
    private final PlanningProblem planning;
    private final RematProblem problem;
    private final boolean[] done;
    private final boolean[] moved;
    private final boolean[] losses;
    private final int[] steps;
    private int length;

    private WaitInTurn(PlanningProblem planning, int length) {
        this.planning = planning;
        this.problem = planning.problem();
        this.done = new boolean[problem.nodeCount()];
        this.moved = new boolean[problem.nodeCount()];
        this.losses = losses(planning);
        this.steps = new int[length];
    }

    /** The same sequence where there are no messages, or all are in turn. */
    public static OperatorSequence run(PlanningProblem planning, OperatorSequence sequence) {
        boolean sends = false;
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            sends |= op(planning, n) instanceof Message;
        }
        return sends && !sequence.movesValues() ? new WaitInTurn(planning, sequence.length()).run(sequence) : sequence;
    }

    private static Object op(PlanningProblem planning, int node) {
        return planning.fused().graph().node(planning.group(node).root()).op();
    }

    /** Which nodes make them. */
    private static boolean[] losses(PlanningProblem planning) {
        boolean[] losses = new boolean[planning.problem().nodeCount()];
        for (GraphOutput output : planning.fused().graph().outputs()) {
            if (ExecutionPlan.isLoss(output.name())) {
                ValueId base = planning.fused().layouts().get(output.value()).base();
                losses[planning.problem().producer(planning.values().indexOf(base))] = true;
            }
        }
        return losses;
    }

    private OperatorSequence run(OperatorSequence sequence) {
        for (int node : sequence.nodes().toArray()) {
            if (moved[node]) {
                moved[node] = false;
                continue;
            }
            if (!done[node] && (problem.node(node).inTurn() || changesState(node))) {
                bring(node);
            }
            add(node);
        }
        int[] given = sequence.nodes().toArray();
        return Arrays.equals(given, steps)
                ? sequence
                : new OperatorSequence(sequence.strategy(), steps, sequence.retained());
    }

    private void add(int node) {
        done[node] = true;
        steps[length++] = node;
    }

    private boolean changesState(int node) {
        Object op = op(planning, node);
        return op instanceof Update && !(op instanceof MicroBatchUpdate);
    }

    /**
     * Runs the messages or losses in front of a node that have not run, and all that these need, in the given order.
     */
    private void bring(int before) {
        boolean[] needed = new boolean[before];
        boolean messages = problem.node(before).inTurn();
        boolean known = changesState(before);
        for (int n = before - 1; n >= planning.residents(); n--) {
            needed[n] |= !done[n] && (messages && op(planning, n) instanceof Message || known && losses[n]);
            messages |= needed[n] && problem.node(n).inTurn();
            for (int k = 0; needed[n] && k < problem.inputCount(n); k++) {
                int maker = problem.producer(problem.input(n, k));
                needed[maker] |= !done[maker] && !problem.residentNode(maker);
            }
        }
        for (int n = planning.residents(); n < before; n++) {
            if (needed[n]) {
                moved[n] = true;
                add(n);
            }
        }
    }
}
