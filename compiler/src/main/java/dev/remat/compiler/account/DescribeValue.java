package dev.remat.compiler.account;

import dev.remat.compiler.account.PlanIndex.Stored;
import dev.remat.compiler.account.ValueFacts.Consumer;
import dev.remat.compiler.account.ValueFacts.Recomputation;
import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.plan.price.SequenceRuns;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedSet;
import java.util.TreeSet;

/** Gathers what a plan does with a value. */
final class DescribeValue {
    private final PlanIndex index;
    private final Graph source;
    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final SequenceRuns runs;
    private final ValueMap<List<NodeId>> consumers;
    private final ValueMap<List<OffloadedTensor>> moves;

    DescribeValue(PlanIndex index) {
        this.index = index;
        this.source = index.source();
        this.problem = index.compilation().planning().problem();
        this.sequence = index.compilation().sequence();
        this.runs = index.prices().runs();
        this.consumers = source.consumers();
        this.moves = new ValueMap<>(source.values().size());
        for (OffloadedTensor each : index.moves()) {
            ValueId moved = each.value().id();
            if (!moves.contains(moved)) {
                moves.put(moved, new ArrayList<>());
            }
            moves.get(moved).add(each);
        }
    }

    /** @param priced whether to ask for prices, which takes longer than all else */
    ValueFacts of(ValueId id, boolean priced) {
        Value value = source.value(id);
        Optional<Node> producer = value.producer().map(source::node);
        int inProblem = index.problemValue(id);
        State state = state(id);
        Optional<Price> price = priced && inProblem != PlanIndex.NONE ? index.price(inProblem) : Optional.empty();
        Optional<Price> instead = priced && inProblem != PlanIndex.NONE ? index.instead(inProblem) : Optional.empty();
        Optional<Stored> stored = state == State.VIEW ? Optional.empty() : index.stored(id);
        return new ValueFacts(
                value,
                stored.map(Stored::bytes).orElse(0L),
                source.location(id),
                producer.map(node -> node.origin().scope()).orElse(""),
                producer.map(Node::role).orElse(Role.FORWARD),
                producer.map(node -> node.op().mnemonic()).orElse("input"),
                stored.isPresent() && producer.isPresent()
                        ? OptionalLong.of(stored.get().cost())
                        : OptionalLong.empty(),
                state,
                storage(id, state),
                retained(id),
                state == State.RECOMPUTED ? runs.count(problem.producer(inProblem)) - 1 : 0,
                consumers(id),
                index.stays(id),
                recomputation(inProblem, state, instead.or(() -> price)),
                moves(id),
                price,
                instead);
    }

    /** None of what is not planned. */
    private List<OffloadedTensor> moves(ValueId id) {
        return index.problemValue(id) == PlanIndex.NONE
                ? List.of()
                : moves.find(id).orElse(List.of());
    }

    State state(ValueId id) {
        Value value = source.value(id);
        Optional<Node> producer = value.producer().map(source::node);
        if (producer.isEmpty()) {
            boolean below = index.stored(id)
                    .filter(stored -> stored.problem().home(stored.value()) != ProblemNode.DEVICE)
                    .isPresent();
            return below ? State.BELOW : State.RESIDENT;
        }
        if (updates(producer.get()) || !base(id).equals(id)) {
            return State.VIEW;
        }
        Optional<Stored> stored = index.stored(id);
        if (stored.isEmpty()) {
            return State.FUSED;
        }
        int inProblem = index.problemValue(id);
        if (inProblem != PlanIndex.NONE && runs.count(problem.producer(inProblem)) > 1) {
            return State.RECOMPUTED;
        }
        if (!moves(id).isEmpty() && producer.get().role() == Role.FORWARD) {
            return State.MOVED;
        }
        if (retained(id).isPresent()) {
            return State.KEPT;
        }
        if (stored.get().isOutput()) {
            return State.OUTPUT;
        }
        return producer.get().role() == Role.FORWARD ? State.FREED : State.BACKWARD;
    }

    private static boolean updates(Node node) {
        return node.op() instanceof Update;
    }

    private ValueId base(ValueId id) {
        return index.whole().layouts().find(id).map(layout -> layout.base()).orElse(id);
    }

    private Optional<String> retained(ValueId id) {
        int first = index.first(id);
        return first == PlanIndex.NONE
                ? Optional.empty()
                : index.planned().value(new ValueId(first)).retained();
    }

    /** For a view what it shows, for an update's result what it overwrites, for what is fused its kernel. */
    private Optional<Value> storage(ValueId id, State state) {
        Optional<Node> producer = source.value(id).producer().map(source::node);
        return switch (state) {
            case VIEW -> Optional.of(source.value(shown(id, producer.orElseThrow())));
            case FUSED -> index.madeWith(producer.orElseThrow().id());
            case RESIDENT, BELOW, KEPT, MOVED, RECOMPUTED, FREED, OUTPUT, BACKWARD -> Optional.empty();
        };
    }

    private ValueId shown(ValueId id, Node producer) {
        if (producer.op() instanceof Update update) {
            for (Update.Write write : update.writes()) {
                if (producer.results().get(write.result()).equals(id)) {
                    ValueId overwritten = base(producer.operands().get(write.operand()));
                    return source.value(overwritten)
                            .producer()
                            .map(source::node)
                            .filter(DescribeValue::updates)
                            .map(before -> shown(overwritten, before))
                            .orElse(overwritten);
                }
            }
        }
        return base(id);
    }

    /** Those that read elements: views are looked through. */
    private List<Consumer> consumers(ValueId id) {
        SequencedSet<NodeId> readers = new LinkedHashSet<>();
        List<ValueId> open = new ArrayList<>(List.of(id));
        while (!open.isEmpty()) {
            for (NodeId reader : consumers.get(open.removeLast())) {
                Node node = source.node(reader);
                if (node.op() instanceof View) {
                    open.addAll(node.results());
                } else {
                    readers.add(reader);
                }
            }
        }
        return readers.stream()
                .sorted(Comparator.comparingInt(NodeId::index))
                .map(source::node)
                .map(node -> new Consumer(
                        source.value(node.results().getFirst()),
                        node.op().mnemonic(),
                        node.role(),
                        node.origin().location()))
                .toList();
    }

    private Optional<Recomputation> recomputation(int inProblem, State state, Optional<Price> price) {
        if (state == State.RECOMPUTED) {
            return Optional.of(chain(problem.producer(inProblem)));
        }
        if (price.isPresent() && price.get() instanceof Price.Changed changed) {
            return Optional.of(described(changed.added()));
        }
        return Optional.empty();
    }

    /** The first recomputation of a node, with the recomputations that it reads, and what those read, and so on. */
    private Recomputation chain(int node) {
        TreeSet<Integer> steps = new TreeSet<>();
        List<Integer> open = new ArrayList<>(List.of(runs.step(node, 1)));
        while (!open.isEmpty()) {
            int step = open.removeLast();
            if (steps.add(step)) {
                int reader = sequence.node(step);
                for (int k = 0; k < problem.inputCount(reader); k++) {
                    int producer = problem.producer(problem.input(reader, k));
                    int before = problem.residentNode(producer) ? 0 : runs.countBefore(producer, step);
                    if (before > 1) {
                        open.add(runs.step(producer, before - 1));
                    }
                }
            }
        }
        return described(steps.stream().map(sequence::node).toList());
    }

    private Recomputation described(List<Integer> nodes) {
        SequencedSet<Value> from = new LinkedHashSet<>();
        SequencedSet<Value> residents = new LinkedHashSet<>();
        for (int node : nodes) {
            for (int k = 0; k < problem.inputCount(node); k++) {
                int value = problem.input(node, k);
                int producer = problem.producer(value);
                Value read =
                        source.value(index.compilation().planning().values().get(value));
                if (problem.residentNode(producer)) {
                    residents.add(read);
                } else if (!nodes.contains(producer)) {
                    from.add(read);
                }
            }
        }
        return new Recomputation(
                nodes.stream().map(index::made).toList(), List.copyOf(from.isEmpty() ? residents : from));
    }
}
