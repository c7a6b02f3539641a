package dev.remat.compiler.fusion;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Groups nodes into fusion groups: a value that one elementwise node or reduction alone reads stays inside its reader's
 * kernel.
 *
 * <pre>
 * before: %3 = matmul(%x, %w)  %4 = add(%3, %b)  %5 = gelu(%4)      %4 is read again by the backward pass
 * after:  group {%3, %4} writes %4      group {%5} writes %5
 * </pre>
 *
 * <p>Values that two nodes read end a group, so that the planner may keep one and drop the other. A node joins a reader
 * that runs later only if what it reads is no more to keep until then than its result is, or if the reader and what
 * stands between can run as early as the node: the gradient of a ReLU so runs in the kernel that makes what it masks,
 * before the updates that the sweep has put between the two. That is for targets where {@linkplain
 * TargetModel#savesPassesByEpilogues an epilogue saves a pass}. Operations and what {@link
 * PlaceResults} has put behind them are groups of their own.
 */
public final class FormFusionGroups {
    private final PlacedGraph placed;
    private final Graph graph;
    private final TargetModel target;
    private final ValueMap<Layout> layouts;
    private final ValueMap<List<NodeId>> consumers;
    private final boolean[] exposed;
    /** Root of the group of each node; a node that is no root points at its reader's root. */
    private final int[] root;

    private final List<List<NodeId>> members = new ArrayList<>();
    /** Where the group of a root runs: behind the node of this index, which is one of its own. */
    private final int[] place;
    /** How many nodes of a root's group stand behind its place. */
    private final int[] behind;

    private final boolean[] anchored;
    /** Number of nodes before each that are part of some group. */
    private final int[] before;
    /** Where each buffer was read last, by nodes visited so far: index of the root. */
    private final int[] lastRead;

    private FormFusionGroups(PlacedGraph placed, TargetModel target) {
        this.placed = placed;
        this.graph = placed.graph();
        this.target = target;
        this.layouts = Layouts.of(graph);
        this.consumers = graph.consumers();
        this.exposed = new boolean[graph.values().size()];
        graph.outputs().forEach(output -> exposed[output.value().index()] = true);
        int nodes = graph.nodes().size();
        this.root = new int[nodes];
        this.place = new int[nodes];
        this.behind = new int[nodes];
        this.anchored = new boolean[nodes];
        this.before = new int[nodes + 1];
        graph.nodes()
                .forEach(node -> before[node.id().index() + 1] =
                        before[node.id().index()] + (GroupAssembly.isFree(node) ? 0 : 1));
        this.lastRead = new int[graph.values().size()];
        graph.inputs().forEach(input -> lastRead[input.value().index()] = nodes);
        graph.outputs()
                .forEach(output -> lastRead[layouts.get(output.value()).base().index()] = nodes);
    }

    public static FusedGraph run(PlacedGraph placed, TargetModel target) {
        return new FormFusionGroups(placed, target).run();
    }

    private FusedGraph run() {
        graph.nodes().forEach(node -> members.add(new ArrayList<>(1)));
        for (Node node : graph.nodes().reversed()) {
            if (!GroupAssembly.isFree(node)) {
                join(node);
                noteReads(node);
            }
        }
        GroupAssembly assembly = new GroupAssembly(graph, layouts);
        List<FusionGroup> groups = new ArrayList<>();
        members.stream().filter(m -> !m.isEmpty()).forEach(m -> groups.add(assembly.assemble(m.reversed())));
        return new FusedGraph(graph, layouts, ordered(groups));
    }

    /** Puts a node into its reader's group, or makes it the root of its own. */
    private void join(Node node) {
        int at = node.id().index();
        boolean elementwise = node.op() instanceof Elementwise;
        root[at] = at;
        place[at] = at;
        anchored[at] = !elementwise;
        Optional<NodeId> carrier = placed.group(node.id());
        if (carrier.isPresent()) {
            root[at] = carrier.get().index();
            anchored[root[at]] = true;
            members.get(root[at]).add(node.id());
            return;
        }
        readerOf(node, elementwise).ifPresent(reader -> {
            int into = root[reader.id().index()];
            if (keepsMore(node, into)) {
                place[into] = at;
                behind[into] = members.get(into).size();
            }
            root[at] = into;
            anchored[into] |= !elementwise;
        });
        members.get(root[at]).add(node.id());
    }

    /** The reader whose group the node may join. */
    private Optional<Node> readerOf(Node node, boolean elementwise) {
        if (node.role() == Role.UPDATE || node.results().isEmpty()) {
            return Optional.empty();
        }
        ValueId value = node.results().getFirst();
        List<NodeId> readers = consumers.get(value);
        if (readers.size() != 1
                || exposed[value.index()]
                || graph.value(value).pin().isPresent()) {
            return Optional.empty();
        }
        Node reader = graph.node(readers.getFirst());
        int into = root[reader.id().index()];
        if (!sameBlock(node, reader)
                || GroupAssembly.isFree(reader)
                || members.get(into).size() >= FusionGroup.MAX_NODES
                || keepsMore(node, into) && !mayRunEarly(node, into)) {
            return Optional.empty();
        }
        boolean joins = elementwise ? joinsElementwise(value, reader) : joinsAsAnchor(node, reader, into);
        return joins ? Optional.of(reader) : Optional.empty();
    }

    private void noteReads(Node node) {
        for (ValueId operand : node.operands()) {
            layouts.find(operand).ifPresent(layout -> {
                int base = layout.base().index();
                lastRead[base] = Math.max(lastRead[base], place[root[node.id().index()]]);
            });
        }
    }

    /** Whether a node that waits for {@code into} keeps more bytes alive until then than its result takes up. */
    private boolean keepsMore(Node node, int into) {
        int between = before[place[into] + 1] - before[node.id().index() + 1];
        if (between == members.get(into).size() - behind[into]) {
            return false;
        }
        Set<ValueId> kept = new LinkedHashSet<>();
        for (ValueId operand : node.operands()) {
            layouts.find(operand)
                    .map(Layout::base)
                    .filter(base -> lastRead[base.index()] < place[into])
                    .filter(base -> graph.value(base).producer().isPresent())
                    .filter(base -> !GroupAssembly.isFree(
                            graph.node(graph.value(base).producer().get())))
                    .ifPresent(kept::add);
        }
        long bytes = kept.stream().mapToLong(base -> graph.type(base).bytes()).sum();
        return bytes > graph.type(node.results().getFirst()).bytes();
    }

    /**
     * Whether all that the group of {@code into} reads is there when {@code node} runs, and its result takes up no more
     * from then on than the node's would.
     */
    private boolean mayRunEarly(Node node, int into) {
        Node last = graph.node(new NodeId(into));
        return target.savesPassesByEpilogues()
                && last.results().size() == 1
                && graph.type(last.results().getFirst()).bytes()
                        <= graph.type(node.results().getFirst()).bytes()
                && members.get(into).stream()
                        .map(graph::node)
                        .allMatch(member -> member.op() instanceof Elementwise
                                && member.operands().stream().allMatch(operand -> isBefore(node, operand, into)));
    }

    /** Whether {@code operand} is there when {@code node} has run, or made in the group of {@code into}. */
    private boolean isBefore(Node node, ValueId operand, int into) {
        return layouts.find(operand)
                .flatMap(layout -> graph.value(layout.base()).producer())
                .map(producer -> producer.index() <= node.id().index()
                        || root[producer.index()] == into
                        || GroupAssembly.isLiteral(graph.node(producer)))
                .orElse(layouts.contains(operand));
    }

    private static boolean sameBlock(Node node, Node reader) {
        return node.role() == reader.role()
                && node.origin().region().equals(reader.origin().region());
    }

    private boolean joinsElementwise(ValueId value, Node reader) {
        TensorType type = graph.type(value);
        return reader.op() instanceof Elementwise
                ? type.shape().equals(graph.type(reader.results().getFirst()).shape())
                : target.fusesPrologue(reader.op(), graph.types(reader.operands()))
                        && (reader.op() instanceof Reduce || leadsTo(value, reader));
    }

    /** Whether what leads to an operation by {@code value}, perhaps several times, reads little more than that. */
    private boolean leadsTo(ValueId value, Node reader) {
        Prologue prologue = Prologue.of(graph, consumers, reader);
        return reader.operands().getFirst().equals(value)
                && prologue.nodes().size() < FusionGroup.MAX_NODES
                && prologue.read(graph, graph.type(value).shape()).size() <= 1;
    }

    /** An anchor computes into the place of the group's only write, so its type must be that one's. */
    private boolean joinsAsAnchor(Node node, Node reader, int into) {
        Op op = node.op();
        Node last = graph.node(new NodeId(into));
        boolean alone = node.results().size() == 1
                && target.fusesEpilogue(op)
                && !goesOn(node)
                && !growsInPlace(node, reader, into);
        return alone
                && !anchored[into]
                && reader.op() instanceof Elementwise
                && last.op() instanceof Elementwise
                && graph.type(node.results().getFirst())
                        .equals(graph.type(last.results().getFirst()));
    }

    /** Whether a product goes on with a sum, which then grows in its place. */
    private static boolean goesOn(Node node) {
        return node.op() instanceof MatMul && node.operands().size() == 3;
    }

    /** Whether a running sum is better off apart: it is where it is written, or where an epilogue saves nothing. */
    private boolean growsInPlace(Node node, Node reader, int into) {
        boolean isWritten = reader.id().index() == into;
        return addsToRunningSum(node, reader) && (isWritten || !target.savesPassesByEpilogues());
    }

    /**
     * Whether the reader adds the node's result to a sum of gradients that dies there. Apart, the sum grows in its
     * place; in one kernel with the anchor it could not, and would move at every contribution.
     */
    private boolean addsToRunningSum(Node node, Node reader) {
        if (node.role() != Role.BACKWARD || !(reader.op() instanceof Binary sum) || sum.kind() != Binary.Kind.ADD) {
            return false;
        }
        return reader.operands().stream()
                .filter(operand -> !operand.equals(node.results().getFirst()))
                .filter(operand -> graph.value(operand).producer().isPresent())
                .filter(operand ->
                        graph.node(graph.value(operand).producer().get()).role() == Role.BACKWARD)
                .anyMatch(operand -> consumers.get(operand).size() == 1);
    }

    /** By the position of the root; an update waits for the last reader of what it overwrites. */
    private List<FusionGroup> ordered(List<FusionGroup> groups) {
        int[] lastReader = new int[graph.values().size()];
        for (FusionGroup group : groups) {
            for (ValueId read : group.reads()) {
                lastReader[read.index()] =
                        Math.max(lastReader[read.index()], place[group.root().index()]);
            }
        }
        Comparator<FusionGroup> position = Comparator.comparingInt(group -> {
            int at = place[group.root().index()];
            for (ValueId overwritten : group.overwrites()) {
                at = Math.max(at, lastReader[overwritten.index()]);
            }
            return at;
        });
        return groups.stream()
                .sorted(position.thenComparing(group -> group.role() == Role.UPDATE)
                        .thenComparingInt(group -> group.root().index()))
                .toList();
    }
}
