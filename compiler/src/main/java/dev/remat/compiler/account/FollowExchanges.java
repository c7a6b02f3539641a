package dev.remat.compiler.account;

import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which exchanges a value takes part in: those that send it, alone or in a bucket with others, and those that bring the
 * sum that it is added to, or what it becomes. Of a parameter, those of its gradient as well.
 */
public final class FollowExchanges {
    private static final String GRADIENT = "grad.";

    private final PlanAccount account;
    private final Graph source;
    private final ValueMap<List<NodeId>> consumers;
    /** By the index of the node that each is; more than one where it is done again. */
    private final SortedMap<Integer, List<Exchanged>> exchanges = new TreeMap<>();
    /** Nodes that exchange the sums of an accumulator. */
    private final Map<String, SortedSet<Integer>> bySum = new LinkedHashMap<>();

    public FollowExchanges(PlanAccount account) {
        this.account = account;
        this.source = account.source();
        this.consumers = source.consumers();
        Map<Integer, Exchanged> bySteps = new LinkedHashMap<>();
        StepTimes kernels = account.times(account.compilation().costs());
        account.sections().stream()
                .flatMap(section -> account.round(section, kernels).exchanges().stream())
                .forEach(each -> bySteps.put(each.sent().step(), each));
        bySteps.forEach((step, each) -> {
            Node node = source.node(account.step(step).value().producer().orElseThrow());
            exchanges.computeIfAbsent(node.id().index(), _ -> new ArrayList<>()).add(each);
            sums(node)
                    .forEach(sum -> bySum.computeIfAbsent(sum, _ -> new TreeSet<>())
                            .add(node.id().index()));
        });
    }

    /** In the order in which they run. */
    public List<ExchangeFacts> of(ValueId value) {
        SortedSet<Integer> found = new TreeSet<>();
        reach(value, found);
        source.values().stream()
                .filter(each ->
                        each.name().equals(GRADIENT + source.value(value).name()))
                .forEach(gradient -> reach(gradient.id(), found));
        for (int node : List.copyOf(found)) {
            sums(source.node(new NodeId(node))).forEach(sum -> found.addAll(bySum.get(sum)));
        }
        return found.stream()
                .flatMap(node -> exchanges.get(node).stream().map(when -> facts(node, when)))
                .sorted(Comparator.comparingInt(each -> each.when().sent().step()))
                .toList();
    }

    /** Names of what adds up what an exchange brings, or what it sends. */
    private List<String> sums(Node exchange) {
        List<String> names = new ArrayList<>();
        for (NodeId reader : consumers.get(exchange.results().getFirst())) {
            Node node = source.node(reader);
            if (node.op() instanceof MicroBatchUpdate) {
                names.add(source.value(node.operands().getFirst()).name());
            }
        }
        ValueId sent = exchange.operands().getFirst();
        if (source.value(sent).producer().isEmpty()) {
            names.add(source.value(sent).name());
        }
        return names;
    }

    /** What sends a value, and what has brought it. */
    private void reach(ValueId value, SortedSet<Integer> found) {
        source.value(value).producer().map(source::node).ifPresent(producer -> {
            brought(producer, found);
            if (producer.op() instanceof Cast) {
                sent(producer.operands().getFirst(), found);
            }
        });
        sent(value, found);
        for (NodeId reader : consumers.get(value)) {
            Node node = source.node(reader);
            if (node.op() instanceof Update) {
                node.operands().stream()
                        .flatMap(operand -> source.value(operand).producer().stream())
                        .forEach(producer -> brought(source.node(producer), found));
            }
        }
        found.addAll(bySum.getOrDefault(source.value(value).name(), new TreeSet<>()));
    }

    private void sent(ValueId value, SortedSet<Integer> found) {
        Deque<ValueId> open = new ArrayDeque<>(List.of(value));
        while (!open.isEmpty()) {
            for (NodeId reader : consumers.get(open.remove())) {
                Node node = source.node(reader);
                if (node.op() instanceof Exchange) {
                    found.add(reader.index());
                } else if (joins(node.op())) {
                    open.addAll(node.results());
                }
            }
        }
    }

    /** What lies between a gradient and its bucket; one whose norm is taken is filled up. */
    private static boolean joins(Op op) {
        return op instanceof View || op instanceof Pad || op instanceof Concat || op instanceof Cast;
    }

    private void brought(Node producer, SortedSet<Integer> found) {
        Optional<Node> at = Optional.of(producer);
        while (at.isPresent() && (at.get().op() instanceof View || at.get().op() instanceof Slice)) {
            at = source.value(at.get().operands().getFirst()).producer().map(source::node);
        }
        at.filter(node -> node.op() instanceof Exchange)
                .ifPresent(node -> found.add(node.id().index()));
    }

    private ExchangeFacts facts(int index, Exchanged when) {
        Node node = source.node(new NodeId(index));
        Value sends = source.value(node.operands().getFirst());
        List<Value> joined = sends.producer().map(source::node).filter(each -> each.op() instanceof Concat).stream()
                .flatMap(concat -> concat.operands().stream())
                .map(this::unshaped)
                .toList();
        int sectionEnd =
                account.compilation().plan().section(when.sent().step()).to();
        Optional<Value> awaitedBy = when.awaited() < sectionEnd
                ? Optional.of(account.step(when.awaited()).value())
                : Optional.empty();
        return new ExchangeFacts(source.value(node.results().getFirst()), sends, joined, when, awaitedBy);
    }

    /** What a view shows, or is filled up. */
    private Value unshaped(ValueId value) {
        ValueId at = value;
        Optional<Node> producer = source.value(at).producer().map(source::node);
        while (producer.isPresent()
                && (producer.get().op() instanceof View || producer.get().op() instanceof Pad)
                && !source.value(at).name().startsWith(GRADIENT)) {
            at = producer.get().operands().getFirst();
            producer = source.value(at).producer().map(source::node);
        }
        return source.value(at);
    }
}
