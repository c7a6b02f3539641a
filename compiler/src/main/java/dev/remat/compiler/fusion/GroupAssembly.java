package dev.remat.compiler.fusion;

import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes nodes a group: folds layouts, seeds and literals into the body of its kernel, and so derives which buffers the
 * kernel reads and writes.
 */
public final class GroupAssembly {
    private final Graph graph;
    private final ValueMap<Layout> layouts;
    private final SeedChain seeds;
    private final ValueMap<List<NodeId>> consumers;
    private final boolean[] output;

    public GroupAssembly(Graph graph, ValueMap<Layout> layouts) {
        this.graph = graph;
        this.layouts = layouts;
        this.seeds = SeedChain.of(graph);
        this.consumers = graph.consumers();
        this.output = new boolean[graph.values().size()];
        graph.outputs().forEach(each -> output[each.value().index()] = true);
    }

    /** Whether a node costs nothing and owns no storage, so that it belongs to no group. */
    public static boolean isFree(Node node) {
        return node.op() instanceof View
                || isLiteral(node)
                || node.op() instanceof StepSeed
                || node.op() instanceof ResetSeed;
    }

    /** Whether each reader of a node's result computes it for itself. */
    static boolean isLiteral(Node node) {
        return node.op() instanceof Literal literal && literal.isFlat();
    }

    /** @param nodes in order; stored is what another node reads, and what the last one makes */
    public FusionGroup assemble(List<NodeId> nodes) {
        return new Assembly(nodes).unit();
    }

    private final class Assembly {
        private final List<NodeId> nodes;
        private final Carriers.Places places;
        private final List<Instruction> instructions = new ArrayList<>();
        /** Bases of the layouts that are read, with their numbers. */
        private final Map<ValueId, Integer> buffers = new LinkedHashMap<>();

        private final Map<KernelBody.Read, Operand> reads = new LinkedHashMap<>();
        private final List<KernelBody.Write> writes = new ArrayList<>();
        private final Map<ValueId, Operand.FromInstruction> computed = new LinkedHashMap<>();

        Assembly(List<NodeId> nodes) {
            this.nodes = nodes;
            this.places = Carriers.places(graph, nodes);
        }

        FusionGroup unit() {
            nodes.stream().filter(id -> !places.carriers().contains(id)).forEach(id -> append(graph.node(id)));
            Node root = graph.node(nodes.getLast());
            List<ValueId> left = new ArrayList<>();
            List<ValueId> overwritten = new ArrayList<>();
            if (root.op() instanceof Update update) {
                for (Update.Write write : update.writes()) {
                    write(root.results().get(write.result()));
                    overwritten.add(resident(root.operands().get(write.operand())));
                }
            } else {
                computed.keySet().stream().filter(this::isStored).forEach(result -> left.add(write(result)));
            }
            List<Long> sizes = buffers.keySet().stream()
                    .map(base -> graph.type(base).bytes())
                    .toList();
            KernelBody body = new KernelBody(instructions, sizes, List.copyOf(reads.keySet()), writes);
            return new FusionGroup(nodes, root.role(), body, List.copyOf(buffers.keySet()), left, overwritten);
        }

        /** Whether a buffer is to hold what the group has computed. */
        private boolean isStored(ValueId result) {
            NodeId producer = graph.value(result).producer().orElseThrow();
            if (isSeed(result) || !nodes.contains(producer)) {
                return false;
            }
            return producer.equals(nodes.getLast())
                    || output[result.index()]
                    || places.of(result).isPresent()
                    || !nodes.containsAll(consumers.get(result));
        }

        private void append(Node node) {
            List<Operand> operands = new ArrayList<>();
            for (ValueId operand : node.operands()) {
                operands.add(operand(operand));
            }
            for (int r = 0; r < node.results().size(); r++) {
                computed.put(node.results().get(r), new Operand.FromInstruction(instructions.size(), r));
            }
            instructions.add(new Instruction(
                    node.op(),
                    operands,
                    graph.types(node.results()),
                    node.origin().location()));
        }

        private Operand operand(ValueId value) {
            if (isSeed(value)) {
                return new Operand.FromSeed(seeds.ordinal(value));
            }
            Operand inside = computed.get(value);
            if (inside != null) {
                return inside;
            }
            Layout layout = layouts.get(value);
            return producer(layout.base())
                    .filter(GroupAssembly::isLiteral)
                    .map(node -> literal(value, ((Literal) node.op()).through(layout.view(), graph.type(value))))
                    .orElseGet(() -> read(layout, graph.type(value).dtype()));
        }

        private Operand literal(ValueId value, Literal seen) {
            instructions.add(new Instruction(seen, List.of(), List.of(seen.type())));
            Operand.FromInstruction inlined = new Operand.FromInstruction(instructions.size() - 1, 0);
            computed.put(value, inlined);
            return inlined;
        }

        private Operand read(Layout layout, DType dtype) {
            int buffer = buffers.computeIfAbsent(layout.base(), base -> buffers.size());
            KernelBody.Read read = new KernelBody.Read(buffer, dtype, layout.view());
            return reads.computeIfAbsent(read, key -> new Operand.FromMemory(reads.size()));
        }

        /** Stores a value; gives the one whose buffer it goes to. */
        private ValueId write(ValueId value) {
            Layout place = places.of(value).orElseGet(() -> Layouts.own(graph, value));
            Operand.FromInstruction from = computed.get(value);
            writes.add(new KernelBody.Write(
                    graph.value(place.base()).name(),
                    graph.type(value),
                    from.instruction(),
                    from.result(),
                    place.view(),
                    graph.type(place.base()).bytes()));
            return place.base();
        }
    }

    /** The graph input in whose place {@code value} is, which updates may have changed before. */
    private ValueId resident(ValueId value) {
        ValueId base = layouts.get(value).base();
        if (graph.value(base).definition() instanceof Value.Result(NodeId producer, int result)
                && graph.node(producer).op() instanceof Update update) {
            return update.writes().stream()
                    .filter(write -> write.result() == result)
                    .map(write -> resident(graph.node(producer).operands().get(write.operand())))
                    .findFirst()
                    .orElse(base);
        }
        return base;
    }

    private boolean isSeed(ValueId value) {
        return graph.type(value).dtype() == DType.SEED;
    }

    private Optional<Node> producer(ValueId value) {
        return graph.value(value).producer().map(graph::node);
    }
}
