package dev.remat.compiler.fusion;

import dev.remat.ir.StridedView;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.View;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeSet;

/** Finds the copies and concatenations in whose place an operation can write its results. */
final class FindCarriers {
    /** A node other than a view that reads a value through views. */
    private record Reader(Node node, ValueId operand, int index) {}

    private final Graph graph;
    private final TargetModel target;
    private final ValueMap<List<NodeId>> consumers;
    private final boolean[] output;

    FindCarriers(Graph graph, TargetModel target) {
        this.graph = graph;
        this.target = target;
        this.consumers = graph.consumers();
        this.output = new boolean[graph.values().size()];
        graph.outputs().forEach(each -> output[each.value().index()] = true);
    }

    /** Carriers of what {@code node} computes, in their order in the graph. */
    SequencedSet<NodeId> of(Node node) {
        SequencedMap<ValueId, ValueId> parts = new LinkedHashMap<>();
        SequencedSet<NodeId> carriers = new TreeSet<>();
        for (int i = 0; i < node.results().size(); i++) {
            ValueId result = node.results().get(i);
            if (target.placesResult(node.op(), i)) {
                Optional<Node> copy = copy(result);
                copy.ifPresent(found -> carriers.add(found.id()));
                parts.put(copy.map(found -> found.results().getFirst()).orElse(result), result);
            }
        }
        for (Map.Entry<ValueId, ValueId> part : parts.entrySet()) {
            joined(part.getKey(), parts).ifPresent(concat -> carriers.add(concat.id()));
        }
        return carriers;
    }

    /** The first copy of all of a result, if all other readers can do without another. */
    private Optional<Node> copy(ValueId result) {
        List<Reader> readers = new ArrayList<>();
        if (!collect(result, readers)) {
            return Optional.empty();
        }
        Optional<Node> copy = readers.stream()
                .map(Reader::node)
                .filter(reader -> reader.op() instanceof Contiguous)
                .findFirst();
        return copy.filter(found -> {
            Optional<StridedView> place = place(found, result);
            return place.isPresent()
                    && readers.stream()
                            .allMatch(reader -> reader.node().equals(found) || follows(reader, result, place.get()));
        });
    }

    private Optional<StridedView> place(Node carrier, ValueId part) {
        Layout own = Layouts.own(graph, carrier.results().getFirst());
        return Carriers.under(graph, carrier.id(), own)
                .map(layouts -> layouts.get(part))
                .map(Layout::view);
    }

    /** Whether a reader finds its operand if the value below lies as {@code place} says. */
    private boolean follows(Reader reader, ValueId below, StridedView place) {
        Optional<StridedView> seen = through(reader.operand(), below, place);
        return seen.isPresent()
                && (reader.node().op() instanceof Elementwise
                        || seen.get().isContiguous()
                        || target.acceptsStrides(reader.node().op(), reader.index()));
    }

    private Optional<StridedView> through(ValueId value, ValueId below, StridedView place) {
        if (value.equals(below)) {
            return Optional.of(place);
        }
        Node view = graph.node(graph.value(value).producer().orElseThrow());
        return through(view.operands().getFirst(), below, place).flatMap(((View) view.op())::through);
    }

    /** The concatenation that alone reads {@code part} and that joins nothing but such parts, each once. */
    private Optional<Node> joined(ValueId part, Map<ValueId, ValueId> parts) {
        return onlyReader(part).filter(reader -> reader.op() instanceof Concat).filter(concat -> {
            List<ValueId> below = concat.operands().stream()
                    .map(operand -> Carriers.belowViews(graph, operand))
                    .toList();
            return below.stream().distinct().count() == below.size()
                    && below.stream().allMatch(each -> suits(each, concat, parts))
                    && areExpressible(concat, parts);
        });
    }

    private boolean suits(ValueId part, Node concat, Map<ValueId, ValueId> parts) {
        ValueId result = parts.get(part);
        boolean whole = result != null
                && graph.value(result).pin().isEmpty()
                && (part.equals(result) || onlyReader(result).isPresent());
        return whole && onlyReader(part).filter(concat::equals).isPresent();
    }

    private boolean areExpressible(Node concat, Map<ValueId, ValueId> parts) {
        Layout own = Layouts.own(graph, concat.results().getFirst());
        Optional<Map<ValueId, Layout>> layouts = Carriers.under(graph, concat.id(), own);
        return layouts.isPresent()
                && layouts.get().entrySet().stream()
                        .allMatch(each -> parts.get(each.getKey()).equals(each.getKey())
                                || Carriers.under(
                                                graph,
                                                graph.value(each.getKey())
                                                        .producer()
                                                        .orElseThrow(),
                                                each.getValue())
                                        .isPresent());
    }

    /** The one node that reads a value, perhaps through views. */
    private Optional<Node> onlyReader(ValueId value) {
        List<Reader> readers = new ArrayList<>();
        return collect(value, readers) && readers.size() == 1
                ? Optional.of(readers.getFirst().node())
                : Optional.empty();
    }

    /** Adds who reads a value through views, in order; false where it or a view of it is an output. */
    private boolean collect(ValueId value, List<Reader> readers) {
        if (output[value.index()]) {
            return false;
        }
        for (NodeId id : consumers.get(value)) {
            Node node = graph.node(id);
            if (node.op() instanceof View) {
                if (!collect(node.results().getFirst(), readers)) {
                    return false;
                }
            } else {
                for (int i = 0; i < node.operands().size(); i++) {
                    if (node.operands().get(i).equals(value)) {
                        readers.add(new Reader(node, value, i));
                    }
                }
            }
        }
        return true;
    }
}
