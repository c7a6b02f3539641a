package dev.remat.ir.plan;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What planners see of a training step: nodes in a given topological order with cost, bytes and edges, and nothing of
 * what they compute.
 *
 * <p>Nodes and values are dense indices; the results of node {@code n} are the values from {@link #firstResult} up to,
 * not including, {@link #endResult}. Held in flat arrays, so that 10⁶ nodes cost tens of megabytes.
 */
public final class RematProblem {
    /** Stands for a node where none is in turn. */
    public static final int NO_TURN = -1;

    private final String name;
    private final List<ProblemNode> nodes;
    private final List<Tier> tiers;
    private final int[] firstResult;
    private final long[] cost;
    private final long[] workspace;
    private final Role[] role;
    private final Pin[] pin;
    private final boolean[] residentNode;
    private final boolean[] once;
    /** Of a node in turn, those next to it. */
    private final int[] turnBefore;

    private final int[] turnAfter;
    private final int[] producer;
    private final long[] bytes;
    private final int[] viewOf;
    private final int[] inPlaceOf;
    private final int[] storage;
    private final boolean[] output;
    private final List<Integer> outputs;
    private final boolean[] resident;
    private final IndexLists inputs;
    private final IndexLists readers;
    private final long residentBytes;

    private RematProblem(String name, List<ProblemNode> nodes, List<Integer> outputs, List<Tier> tiers) {
        this.name = name;
        this.nodes = List.copyOf(nodes);
        this.tiers = List.copyOf(tiers);
        ProblemChecks.checkTiers(tiers);
        int count = this.nodes.size();
        firstResult = new int[count + 1];
        for (int n = 0; n < count; n++) {
            firstResult[n + 1] = firstResult[n] + this.nodes.get(n).results().size();
        }
        int values = firstResult[count];
        cost = new long[count];
        workspace = new long[count];
        role = new Role[count];
        pin = new Pin[count];
        residentNode = new boolean[count];
        once = new boolean[count];
        turnBefore = new int[count];
        turnAfter = new int[count];
        addTurns();
        producer = new int[values];
        bytes = new long[values];
        viewOf = new int[values];
        inPlaceOf = new int[values];
        storage = new int[values];
        resident = new boolean[values];
        output = new boolean[values];
        for (int n = 0; n < count; n++) {
            ProblemChecks.checkNode(this, n);
            addNode(n, this.nodes.get(n));
            for (int v = firstResult[n]; v < firstResult[n + 1]; v++) {
                addResult(n, v, this.nodes.get(n).results().get(v - firstResult[n]));
            }
        }
        ProblemChecks.checkOutputs(this, outputs);
        for (int v : outputs) {
            output[v] = true;
        }
        this.outputs = outputs.stream().distinct().sorted().toList();
        inputs = distinctInputs();
        readers = inputs.transposed(valueCount());
        ProblemChecks.checkTotals(this);
        ProblemChecks.checkWriteOrder(this);
        residentBytes = residentBytes(ProblemNode.DEVICE);
    }

    /**
     * Nodes in the order given.
     *
     * @param outputs indices of values that stay in memory from their last computation to the end of the step
     * @throws InvalidProblemException if the nodes contradict themselves or each other
     */
    public static RematProblem of(String name, List<ProblemNode> nodes, List<Integer> outputs) {
        return of(name, nodes, outputs, List.of());
    }

    /**
     * The same with tiers below the device; costs are nanoseconds then, for lanes to be compared by.
     *
     * @throws InvalidProblemException also if two tiers have one name, there are more than
     *     {@link SequenceStep#MOST_TIERS}, or a node's home is none of them
     */
    public static RematProblem of(String name, List<ProblemNode> nodes, List<Integer> outputs, List<Tier> tiers) {
        return new RematProblem(name, nodes, outputs, tiers);
    }

    /** The same with other tiers below the device, to be read as {@link #of(String, List, List, List)} does. */
    public RematProblem withTiers(List<Tier> below) {
        return new RematProblem(name, nodes, outputs(), below);
    }

    /** The same on the device alone: residents that live below it are on it. */
    public RematProblem withoutTiers() {
        List<ProblemNode> above =
                nodes.stream().map(node -> node.withHome(ProblemNode.DEVICE)).toList();
        return tiers.isEmpty() ? this : new RematProblem(name, above, outputs(), List.of());
    }

    /** The same problem with other pins, one a node. */
    public RematProblem withPins(List<Pin> pins) {
        List<ProblemNode> pinned = new ArrayList<>(nodes.size());
        for (int n = 0; n < nodes.size(); n++) {
            pinned.add(nodes.get(n).withPin(pins.get(n)));
        }
        return new RematProblem(name, pinned, outputs(), tiers);
    }

    /**
     * The same problem with its nodes in another order; results are numbered anew.
     *
     * @param order index of each node, in the order in which they are to stand
     * @throws InvalidProblemException if a node would stand before one that it needs
     */
    public RematProblem inOrder(int[] order) {
        int[] renumbered = new int[valueCount()];
        int next = 0;
        for (int n : order) {
            for (int v = firstResult[n]; v < firstResult[n + 1]; v++) {
                renumbered[v] = next++;
            }
        }
        List<ProblemNode> moved = new ArrayList<>(order.length);
        for (int n : order) {
            moved.add(nodes.get(n).withValuesRenumbered(renumbered));
        }
        return new RematProblem(
                name, moved, outputs().stream().map(v -> renumbered[v]).sorted().toList(), tiers);
    }

    public String name() {
        return name;
    }

    /** Memory below the device, in the order given; empty where there is the device alone. */
    public List<Tier> tiers() {
        return tiers;
    }

    public int nodeCount() {
        return nodes.size();
    }

    public int valueCount() {
        return firstResult[nodes.size()];
    }

    /** The node as it was given. */
    public ProblemNode node(int node) {
        return nodes.get(node);
    }

    public String nodeId(int node) {
        return nodes.get(node).id();
    }

    public long cost(int node) {
        return cost[node];
    }

    public long workspaceBytes(int node) {
        return workspace[node];
    }

    public Role role(int node) {
        return role[node];
    }

    public Pin pin(int node) {
        return pin[node];
    }

    public boolean residentNode(int node) {
        return residentNode[node];
    }

    /** The node in turn that the first run of this one, which is in turn, has to be behind; else {@link #NO_TURN}. */
    public int turnBefore(int node) {
        return turnBefore[node];
    }

    /** The node in turn whose first run has to be behind that of this one; else {@link #NO_TURN}. */
    public int turnAfter(int node) {
        return turnAfter[node];
    }

    /** Whether the node must run exactly once: it says so, updates or writes state, or is resident. */
    public boolean once(int node) {
        return once[node];
    }

    public int firstResult(int node) {
        return firstResult[node];
    }

    public int endResult(int node) {
        return firstResult[node + 1];
    }

    /** Number of distinct values that the node reads. */
    public int inputCount(int node) {
        return inputs.size(node);
    }

    /** The {@code position}-th distinct value that the node reads. */
    public int input(int node, int position) {
        return inputs.get(node, position);
    }

    /** Indices of the resident values that the node changes. */
    public List<Integer> writes(int node) {
        return nodes.get(node).writes();
    }

    public String valueId(int value) {
        return nodes.get(producer[value])
                .results()
                .get(value - firstResult[producer[value]])
                .id();
    }

    /** Bytes of storage that a computation of the value takes: zero for views. */
    public long bytes(int value) {
        return bytes[value];
    }

    public int producer(int value) {
        return producer[value];
    }

    /** The value whose storage this one shares, or {@link ProblemValue#NONE}. */
    public int viewOf(int value) {
        return viewOf[value];
    }

    /** The value whose storage this one may reuse, or {@link ProblemValue#NONE}. */
    public int inPlaceOf(int value) {
        return inPlaceOf[value];
    }

    /** The value that owns the storage of this one: itself, or the end of its chain of views. */
    public int storage(int value) {
        return storage[value];
    }

    /**
     * Index of the tier that holds the value's storage when the step begins and when it ends, or
     * {@link ProblemNode#DEVICE}.
     */
    public int home(int value) {
        return nodes.get(producer[storage[value]]).home();
    }

    /** Whether the value's storage is on the device for the whole step, whatever is planned. */
    public boolean staysOnDevice(int value) {
        return resident[value] && home(value) == ProblemNode.DEVICE;
    }

    /** Whether the value may be stored and fetched: it owns bytes, is not always on the device, and is not barred. */
    public boolean movable(int value) {
        boolean ownsBytes = storage[value] == value && bytes[value] > 0;
        return !tiers.isEmpty()
                && ownsBytes
                && !staysOnDevice(value)
                && nodes.get(producer[value]).offloadable();
    }

    /** Whether the value's storage is resident: inputs, parameters, and views of them. */
    public boolean resident(int value) {
        return resident[value];
    }

    public boolean output(int value) {
        return output[value];
    }

    /** Indices of the outputs, ascending. */
    public List<Integer> outputs() {
        return outputs;
    }

    /** Number of nodes that read the value. */
    public int readerCount(int value) {
        return readers.size(value);
    }

    /** The {@code position}-th node that reads the value, in node order. */
    public int reader(int value, int position) {
        return readers.get(value, position);
    }

    /** Sum of the bytes of all resident nodes that live on the device. */
    public long residentBytes() {
        return residentBytes;
    }

    /** Sum of the bytes of all resident nodes that live in a tier. */
    public long residentBytes(int tier) {
        long sum = 0;
        for (int v = 0; v < bytes.length; v++) {
            if (resident[v] && home(v) == tier) {
                sum += bytes[v];
            }
        }
        return sum;
    }

    /** Cost of every node once, resident ones included. */
    public long baselineCost() {
        long sum = 0;
        for (long one : cost) {
            sum += one;
        }
        return sum;
    }

    @Override
    public String toString() {
        return name + " (" + Count.of(nodeCount(), "node") + ")";
    }

    private void addTurns() {
        Arrays.fill(turnBefore, NO_TURN);
        Arrays.fill(turnAfter, NO_TURN);
        int last = NO_TURN;
        for (int n = 0; n < nodes.size(); n++) {
            if (nodes.get(n).inTurn() && !nodes.get(n).resident()) {
                turnBefore[n] = last;
                if (last != NO_TURN) {
                    turnAfter[last] = n;
                }
                last = n;
            }
        }
    }

    private void addNode(int index, ProblemNode node) {
        cost[index] = node.cost();
        workspace[index] = node.workspaceBytes();
        role[index] = node.role();
        pin[index] = node.pin();
        residentNode[index] = node.resident();
        once[index] = node.runsOnce();
    }

    private void addResult(int node, int value, ProblemValue result) {
        boolean view = result.viewOf() != ProblemValue.NONE;
        producer[value] = node;
        viewOf[value] = result.viewOf();
        inPlaceOf[value] = result.inPlaceOf();
        bytes[value] = view ? 0 : result.bytes();
        storage[value] = view ? storage[result.viewOf()] : value;
        resident[value] = residentNode[producer[storage[value]]];
    }

    private IndexLists distinctInputs() {
        IndexLists.Collector lists = new IndexLists.Collector(nodes.size());
        int[] seenBy = new int[valueCount()];
        for (int n = 0; n < nodes.size(); n++) {
            for (int v : nodes.get(n).inputs()) {
                if (seenBy[v] != n + 1) {
                    seenBy[v] = n + 1;
                    lists.add(v);
                }
            }
            lists.endList();
        }
        return lists.lists();
    }
}
