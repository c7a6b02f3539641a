package dev.remat.compiler.remat;

import dev.remat.compiler.unit.UnitAssembly;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphBuilder;
import dev.remat.ir.GraphInput;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.TensorType;
import dev.remat.ir.Value;
import dev.remat.ir.ValueId;
import dev.remat.ir.ValueMap;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RetainedValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Follows an operator sequence: a unit's first run takes its nodes over, every further run clones them, and readers see
 * the latest run. Views are made again where what they show was.
 *
 * <p>A random node takes the seed that the chain holds when it runs. Since a repeat would find the chain further on, each
 * run of repeats with random nodes starts from a {@code reset_seed}; first runs go on from where first runs left off.
 *
 * <pre>
 * sequence: a b c c.grad b b.grad
 * before:   %1 = a  %2 = b(%1)  %3 = c(%2)  %4 = c.grad(%3)  %5 = b.grad(%2, %4)
 * after:    %1 = a  %2 = b(%1)  %3 = c(%2)  %4 = c.grad(%3)  %5 = b(%1) remat #1  %6 = b.grad(%5, %4)
 * </pre>
 */
public final class InsertRecompute {
    /** A seed value and the ordinal that it stands at. */
    private record Seed(ValueId value, int ordinal) {}

    private final PlanningProblem planning;
    private final Graph source;
    private final GraphBuilder builder;
    /** What each source value is called now, by its latest computation. */
    private final ValueMap<ValueId> current;
    /** For view results: the operand, as it was called, that the current view was made from. */
    private final ValueMap<ValueId> viewed;
    private final ValueMap<NodeId> firstRun;
    private final ValueMap<List<ValueId>> firstResults;
    private final List<List<NodeId>> steps = new ArrayList<>();
    private Optional<Seed> chain = Optional.empty();
    private Optional<Seed> repeats = Optional.empty();

    private InsertRecompute(PlanningProblem planning) {
        this.planning = planning;
        this.source = planning.units().graph();
        this.builder = new GraphBuilder(source.name());
        this.current = new ValueMap<>(source.values().size());
        this.viewed = new ValueMap<>(source.values().size());
        this.firstRun = new ValueMap<>(source.nodes().size());
        this.firstResults = new ValueMap<>(source.nodes().size());
    }

    public static RematerializedGraph run(PlanningProblem planning, OperatorSequence sequence) {
        return new InsertRecompute(planning).insert(sequence);
    }

    private RematerializedGraph insert(OperatorSequence sequence) {
        for (GraphInput input : source.inputs()) {
            Value old = source.value(input.value());
            ValueId now = builder.input(old.name(), old.type(), input.kind(), input.initializer(), input.location());
            current.put(old.id(), now);
        }
        for (int t = 0; t < sequence.length(); t++) {
            List<NodeId> emitted = new ArrayList<>();
            for (NodeId id : planning.unit(sequence.node(t)).nodes()) {
                emitted.add(emit(source.node(id)));
            }
            steps.add(emitted);
        }
        source.outputs().forEach(output -> builder.output(output.name(), resolve(output.value())));
        Graph graph = builder.build();
        return new RematerializedGraph(MarkRetained.run(graph, reasons(sequence)), steps);
    }

    /** Why the planner keeps values, by the name of each. */
    private List<MarkRetained.Reason> reasons(OperatorSequence sequence) {
        List<MarkRetained.Reason> reasons = new ArrayList<>();
        for (RetainedValue retained : sequence.retained()) {
            ValueId old = planning.values().get(retained.value());
            firstResult(old).ifPresent(now -> reasons.add(new MarkRetained.Reason(now, retained.reason().label())));
        }
        return reasons;
    }

    private Optional<ValueId> firstResult(ValueId old) {
        if (!(source.value(old).definition() instanceof Value.Result result)) {
            return Optional.empty();
        }
        return firstResults.find(key(result.node())).map(results -> results.get(result.index()));
    }

    private NodeId emit(Node node) {
        List<ValueId> operands = new ArrayList<>();
        for (ValueId operand : node.operands()) {
            operands.add(resolve(operand));
        }
        boolean repeat = firstRun.contains(key(node.id()));
        if (node.op() instanceof RandomOp random) {
            operands.set(operands.size() - 1, seedFor(random, repeat));
        } else if (!repeat) {
            repeats = Optional.empty();
        }
        List<ValueId> results = append(node, operands);
        for (int i = 0; i < results.size(); i++) {
            boolean seed = source.type(node.results().get(i)).dtype() == DType.SEED;
            if (!seed || !repeat) {
                current.put(node.results().get(i), results.get(i));
            }
        }
        if (node.op() instanceof RandomOp random) {
            Optional<Seed> next = Optional.of(new Seed(results.getLast(), random.ordinal() + 1));
            if (repeat) {
                repeats = next;
            } else {
                chain = next;
            }
        }
        return builder.lastNode().id();
    }

    private List<ValueId> append(Node node, List<ValueId> operands) {
        Optional<NodeId> original = firstRun.find(key(node.id()));
        builder.at(node.origin()).as(node.role());
        List<TensorType> types = source.types(node.results());
        List<String> names = node.results().stream()
                .map(id -> source.value(id).name() + (original.isPresent() ? "'" : ""))
                .toList();
        List<ValueId> results = builder.append(node.op(), operands, types, names, original);
        if (original.isEmpty()) {
            firstRun.put(key(node.id()), builder.lastNode().id());
            firstResults.put(key(node.id()), results);
            for (int i = 0; i < results.size(); i++) {
                ValueId now = results.get(i);
                source.value(node.results().get(i)).pin().ifPresent(location -> builder.pin(now, location));
            }
        }
        return results;
    }

    /** The seed that a random node draws with: the chain's where it stands right, else a reset one. */
    private ValueId seedFor(RandomOp random, boolean repeat) {
        Optional<Seed> held = repeat ? repeats : chain;
        return held.filter(seed -> seed.ordinal() == random.ordinal())
                .map(Seed::value)
                .orElseGet(() -> firstSeed(random, repeat));
    }

    private ValueId firstSeed(RandomOp random, boolean repeat) {
        boolean start = !repeat && chain.isEmpty() && random.ordinal() == 0;
        return builder.apply(start ? new StepSeed() : new ResetSeed(random.ordinal()));
    }

    /** What a source value is called at this point; views, constants and seeds are made when they are asked for. */
    private ValueId resolve(ValueId old) {
        Optional<Node> producer = source.value(old).producer().map(source::node);
        if (producer.isEmpty() || !UnitAssembly.isFree(producer.get())) {
            return current.get(old);
        }
        Node node = producer.get();
        if (node.operands().isEmpty()) {
            return current.find(old).orElseGet(() -> remember(old, append(node, List.of()).getFirst()));
        }
        ValueId below = resolve(node.operands().getFirst());
        if (viewed.find(old).filter(below::equals).isPresent()) {
            return current.get(old);
        }
        viewed.put(old, below);
        return remember(old, append(node, List.of(below)).getFirst());
    }

    private ValueId remember(ValueId old, ValueId now) {
        current.put(old, now);
        return now;
    }

    private static ValueId key(NodeId node) {
        return new ValueId(node.index());
    }
}
