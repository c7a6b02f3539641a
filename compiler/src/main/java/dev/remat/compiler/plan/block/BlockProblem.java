package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One block of a forward as a problem of its own: the block's forward nodes, a node {@code turn} that reads what later
 * blocks need and makes what flows back from them, and the block's backward nodes. What comes from earlier blocks is
 * resident and takes nothing. Names are numbers, so that equal blocks make equal problems.
 */
final class BlockProblem {
    private static final int ABSENT = -1;

    private final RematProblem whole;
    private final ForwardGraph graph;
    private final int begin;
    private final int end;
    private final int[] backward;
    private final List<ProblemNode> nodes = new ArrayList<>();
    private final Map<Integer, Integer> local = new LinkedHashMap<>();
    private final IntList original = new IntList();
    private final IntList crossing = new IntList();
    private final int firstBackward;
    private int turn;

    private BlockProblem(ForwardGraph graph, int begin, int end, int[] backward) {
        whole = graph.problem();
        this.graph = graph;
        this.begin = begin;
        this.end = end;
        this.backward = backward;
        firstBackward = Retention.firstBackward(whole);
    }

    /**
     * A block's problem, where its values come from, and what makes it equal to others.
     *
     * @param kept the problem in which what leaves the block may stay in memory
     * @param dropped the same, but all that leaves the block must be computed again for the backward
     * @param original per value the value of the whole problem, or -1 where several stand behind it
     * @param crossing values that leave the block for later ones
     * @param free per value whether it is retained whatever is decided
     * @param turn the node between forward and backward
     * @param shape equal for equal blocks
     */
    record Extract(
            RematProblem kept,
            RematProblem dropped,
            int[] original,
            int[] crossing,
            boolean[] free,
            int turn,
            LongBuffer shape) {}

    /**
     * @param begin first position of the block in {@code graph}
     * @param end position after its last
     * @param backward nodes that run when the backward goes through the block, ascending
     */
    static Extract of(ForwardGraph graph, int begin, int end, int[] backward) {
        return new BlockProblem(graph, begin, end, backward).extract();
    }

    private Extract extract() {
        importValues();
        for (int p = begin; p < end; p++) {
            int node = graph.node(p);
            for (int v = whole.firstResult(node); v < whole.endResult(node); v++) {
                if (graph.counts(v) && graph.lastRead(v) >= end) {
                    crossing.add(original.size() + v - whole.firstResult(node));
                }
            }
            add(node, Role.FORWARD);
        }
        addTurn();
        for (int node : backward) {
            add(node, Role.BACKWARD);
        }
        List<Integer> outputs = outputs();
        RematProblem kept = RematProblem.of("block", nodes, outputs);
        boolean[] free = new boolean[kept.valueCount()];
        for (int v = 0; v < free.length; v++) {
            int from = original.get(v);
            boolean made = from != ABSENT && graph.position(whole.producer(from)) != ABSENT && !whole.resident(from);
            free[v] = made && !graph.counts(from);
        }
        return new Extract(
                kept, kept.withPins(pins(kept)), original.toArray(), crossing.toArray(), free, turn, shape(kept, free));
    }

    /** Everything made elsewhere that the block reads, but what flows back. */
    private void importValues() {
        for (int p = begin; p < end; p++) {
            importInputs(graph.node(p));
        }
        for (int node : backward) {
            importInputs(node);
        }
    }

    private void importInputs(int node) {
        for (int k = 0; k < whole.inputCount(node); k++) {
            importValue(whole.input(node, k));
        }
    }

    private void importValue(int value) {
        int producer = whole.producer(value);
        int position = graph.position(producer);
        boolean inside = position >= begin && position < end;
        boolean forward = whole.role(producer) == Role.FORWARD || producer < firstBackward;
        if (!inside && forward && !local.containsKey(value)) {
            local.put(value, original.size());
            nodes.add(ProblemNode.resident("n" + nodes.size(), 0));
            original.add(ABSENT);
        }
    }

    private void add(int node, Role role) {
        int[] inputs = new int[whole.inputCount(node)];
        for (int k = 0; k < inputs.length; k++) {
            inputs[k] = local.get(whole.input(node, k));
        }
        ProblemNode copy = ProblemNode.of("n" + nodes.size(), role)
                .withCost(whole.cost(node))
                .withWorkspace(whole.workspaceBytes(node))
                .withInputs(inputs);
        copy = whole.once(node) && role == Role.FORWARD ? copy.once() : copy;
        for (int v = whole.firstResult(node); v < whole.endResult(node); v++) {
            String id = "v" + original.size();
            Integer taken = local.get(whole.inPlaceOf(v));
            if (whole.viewOf(v) != ProblemValue.NONE) {
                copy = copy.withResult(ProblemValue.view(id, local.get(whole.viewOf(v))));
            } else if (taken != null) {
                copy = copy.withResult(ProblemValue.inPlace(id, whole.bytes(v), taken));
            } else {
                copy = copy.withResult(ProblemValue.of(id, whole.bytes(v)));
            }
            local.put(v, original.size());
            original.add(v);
        }
        nodes.add(copy.withPin(role == Role.FORWARD ? whole.pin(node) : Pin.NONE));
    }

    /** Makes every gradient that enters the block's backward. */
    private void addTurn() {
        turn = nodes.size();
        ProblemNode node = ProblemNode.of("turn", Role.BACKWARD).withInputs(crossing.toArray());
        for (int reader : backward) {
            for (int k = 0; k < whole.inputCount(reader); k++) {
                int v = whole.input(reader, k);
                int storage = whole.storage(v);
                if (local.containsKey(v) || Arrays.binarySearch(backward, whole.producer(v)) >= 0) {
                    continue;
                }
                if (!local.containsKey(storage)) {
                    node = node.withResult(ProblemValue.of("v" + original.size(), whole.bytes(storage)));
                    local.put(storage, original.size());
                    original.add(ABSENT);
                }
                local.put(v, local.get(storage));
            }
        }
        nodes.add(node);
    }

    /** What the block's backward leaves behind. */
    private List<Integer> outputs() {
        List<Integer> outputs = new ArrayList<>();
        for (int node : backward) {
            for (int v = whole.firstResult(node); v < whole.endResult(node); v++) {
                boolean leaves = whole.output(v);
                for (int k = 0; k < whole.readerCount(v) && !leaves; k++) {
                    leaves = Arrays.binarySearch(backward, whole.reader(v, k)) < 0;
                }
                if (leaves) {
                    outputs.add(local.get(v));
                }
            }
        }
        return outputs;
    }

    private List<Pin> pins(RematProblem kept) {
        Pin[] pins = new Pin[kept.nodeCount()];
        Arrays.setAll(pins, kept::pin);
        for (int i = 0; i < crossing.size(); i++) {
            int producer = kept.producer(crossing.get(i));
            boolean may = !kept.once(producer) && pins[producer] == Pin.NONE;
            pins[producer] = may ? Pin.RECOMPUTE : pins[producer];
        }
        return List.of(pins);
    }

    /** All that planning depends on, as numbers. */
    private static LongBuffer shape(RematProblem problem, boolean[] free) {
        LongBuffer shape = LongBuffer.allocate(7 * problem.nodeCount() + 4 * problem.valueCount() + edges(problem));
        for (int n = 0; n < problem.nodeCount(); n++) {
            shape.put(problem.cost(n))
                    .put(problem.workspaceBytes(n))
                    .put(problem.role(n).ordinal());
            shape.put(problem.pin(n).ordinal()).put(problem.once(n) ? 1 : 0).put(problem.inputCount(n));
            for (int k = 0; k < problem.inputCount(n); k++) {
                shape.put(problem.input(n, k));
            }
            shape.put(problem.endResult(n));
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                shape.put(problem.bytes(v)).put(problem.viewOf(v)).put(problem.inPlaceOf(v));
                shape.put((problem.output(v) ? 1 : 0) + (free[v] ? 2 : 0));
            }
        }
        return shape.flip();
    }

    private static int edges(RematProblem problem) {
        int edges = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            edges += problem.inputCount(n);
        }
        return edges;
    }
}
