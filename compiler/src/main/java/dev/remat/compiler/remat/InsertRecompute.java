package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.GroupAssembly;
import dev.remat.compiler.fusion.SeedChain;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RetainedValue;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Follows an operator sequence: a group's first run takes its nodes over, every further run clones them, and readers
 * see the latest run. Views are made again where what they show was.
 *
 * <p>A random node takes the seed that the chain holds when it runs. Since a recomputation would find the chain further
 * on, each run of recomputations with random nodes starts from a {@code reset_seed}; first runs go on from where first
 * runs left off.
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
    private final SeedChain seeds;
    private final GraphBuilder builder;
    /** The source value that each value computes. */
    private final ValueMap<ValueId> from;
    /** What each source value is called now, by its latest computation. */
    private final ValueMap<ValueId> current;
    /** For view results: the operand, as it was called, that the current view was made from. */
    private final ValueMap<ValueId> viewed;

    private final ValueMap<NodeId> firstRun;
    private final ValueMap<List<ValueId>> firstResults;
    private final List<List<NodeId>> steps = new ArrayList<>();
    private final List<Move> moves = new ArrayList<>();
    /** What each source value was called when it was stored last. */
    private final ValueMap<ValueId> stored;

    private final SortedMap<Integer, Integer> homes = new TreeMap<>();

    /** What the latest of a run of recomputations left. */
    private Optional<Seed> recomputed = Optional.empty();

    private InsertRecompute(PlanningProblem planning) {
        this.planning = planning;
        this.source = planning.fused().graph();
        this.seeds = SeedChain.of(source);
        this.builder = new GraphBuilder(source.name());
        this.from = new ValueMap<>(source.values().size());
        this.current = new ValueMap<>(source.values().size());
        this.viewed = new ValueMap<>(source.values().size());
        this.stored = new ValueMap<>(source.values().size());
        this.firstRun = new ValueMap<>(source.nodes().size());
        this.firstResults = new ValueMap<>(source.nodes().size());
    }

    public static RematerializedGraph run(PlanningProblem planning, OperatorSequence sequence) {
        return new InsertRecompute(planning).insert(sequence);
    }

    private RematerializedGraph insert(OperatorSequence sequence) {
        for (GraphInput input : source.inputs()) {
            Value old = source.value(input.value());
            ValueId now = builder.input(input, old.name(), old.type());
            builder.carry(old, now);
            current.put(old.id(), now);
            from.put(now, old.id());
        }
        for (int v = 0; v < planning.residents(); v++) {
            if (planning.problem().home(v) != ProblemNode.DEVICE) {
                ValueId below = current.get(planning.values().get(v));
                stored.put(planning.values().get(v), below);
                homes.put(below.index(), planning.problem().home(v));
            }
        }
        for (int t = 0; t < sequence.length(); t++) {
            List<NodeId> emitted = new ArrayList<>();
            if (!sequence.runs(t)) {
                moves.add(move(t, sequence.step(t)));
                steps.add(emitted);
                continue;
            }
            for (NodeId id : planning.group(sequence.node(t)).nodes()) {
                emitted.add(emit(source.node(id)));
            }
            steps.add(emitted);
        }
        source.outputs().forEach(output -> builder.output(output.name(), resolve(output.value())));
        Graph graph = builder.build();
        return new RematerializedGraph(MarkRetained.run(graph, reasons(sequence)), from, steps, moves, homes);
    }

    /** Readers see what was fetched last, too: it is what was stored, whatever has been computed again since. */
    private Move move(int before, SequenceStep step) {
        return switch (step) {
            case SequenceStep.Run run -> throw new IllegalArgumentException(run + " moves nothing");
            case SequenceStep.Store(int value, int tier) -> {
                ValueId old = planning.values().get(value);
                stored.put(old, current.get(old));
                yield new Move.Store(before, current.get(old), tier);
            }
            case SequenceStep.Await(int value) ->
                new Move.Await(before, stored.get(planning.values().get(value)));
            case SequenceStep.Fetch(int value) -> {
                ValueId old = planning.values().get(value);
                current.put(old, stored.get(old));
                yield new Move.Fetch(before, stored.get(old));
            }
        };
    }

    /** Why the planner keeps values, by the name of each. */
    private List<MarkRetained.Reason> reasons(OperatorSequence sequence) {
        List<MarkRetained.Reason> reasons = new ArrayList<>();
        for (RetainedValue retained : sequence.retained()) {
            ValueId old = planning.values().get(retained.value());
            firstResult(old)
                    .ifPresent(now -> reasons.add(
                            new MarkRetained.Reason(now, retained.reason().label())));
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
        boolean again = firstRun.contains(key(node.id()));
        List<ValueId> operands = new ArrayList<>();
        for (ValueId operand : node.operands()) {
            boolean redraws = again
                    && node.op() instanceof RandomOp
                    && source.type(operand).dtype() == DType.SEED;
            operands.add(redraws ? seedAgain(operand) : resolve(operand));
        }
        if (!again) {
            recomputed = Optional.empty();
        }
        List<ValueId> results = append(node, operands);
        for (int i = 0; i < results.size(); i++) {
            boolean seed = source.type(node.results().get(i)).dtype() == DType.SEED;
            if (seed && again) {
                recomputed = Optional.of(
                        new Seed(results.get(i), seeds.ordinal(node.results().get(i))));
            } else {
                current.put(node.results().get(i), results.get(i));
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
        }
        for (int i = 0; i < results.size(); i++) {
            Value old = source.value(node.results().get(i));
            ValueId now = results.get(i);
            from.put(now, old.id());
            original.ifPresentOrElse(
                    _ -> old.mark().ifPresent(mark -> builder.mark(now, mark)), () -> builder.carry(old, now));
        }
        return results;
    }

    /**
     * The seed that a recomputation draws with: the one left by the recomputation before it where that stands right.
     */
    private ValueId seedAgain(ValueId old) {
        return recomputed
                .filter(seed -> seed.ordinal() == seeds.ordinal(old))
                .map(Seed::value)
                .orElseGet(() -> reset(old));
    }

    private ValueId reset(ValueId old) {
        Node before = source.node(source.value(old).producer().orElseThrow());
        builder.at(before.origin()).as(before.role());
        return builder.apply(new ResetSeed(seeds.ordinal(old)));
    }

    /**
     * What a source value is called at this point; views and constants are made when they are asked for, and so is the
     * seed of a random node that has not run yet.
     */
    private ValueId resolve(ValueId old) {
        Optional<Node> producer = source.value(old).producer().map(source::node);
        if (producer.isEmpty() || !GroupAssembly.isFree(producer.get())) {
            return current.find(old).orElseGet(() -> reset(old));
        }
        Node node = producer.get();
        if (node.operands().isEmpty()) {
            return current.find(old)
                    .orElseGet(() -> remember(old, append(node, List.of()).getFirst()));
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
