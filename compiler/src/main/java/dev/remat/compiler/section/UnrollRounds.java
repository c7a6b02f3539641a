package dev.remat.compiler.section;

import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Makes one graph of the rounds of a step, in which all micro-batches go through a layer before the next: a copy of
 * every node for each micro-batch, which reads its rows of the batch. Sums over micro-batches are added up in the order
 * in which rounds would, and updates follow as soon as what they read is complete.
 *
 * <pre>
 * rounds:   input %x f32[2, 3]    %y = matmul(%x, %w)    %s = accumulate(%accumulated.y, %y, %micro_batch)
 * unrolled: input %x f32[4, 3]    %x.1 = slice{starts=[0, 0]}(%x)    %y = matmul(%x.1, %w)
 *                                 %x.2 = slice{starts=[2, 0]}(%x)    %y.2 = matmul(%x.2, %w)    %s = add(%y, %y.2)
 * </pre>
 */
public final class UnrollRounds {
    /** A graph of the step in one of its rounds, and what its values are here. */
    private record Copy(Graph graph, int number, Map<ValueId, ValueId> values) {}

    private final RoundGraphs rounds;
    private final int count;
    private final GraphBuilder builder;
    /** By name; those of data are whole batches. */
    private final Map<String, ValueId> inputs = new LinkedHashMap<>();
    /** What has been added up so far, by the name of what held it between rounds. */
    private final Map<String, ValueId> sums = new LinkedHashMap<>();
    /** How many micro-batches have been added to each. */
    private final Map<String, Integer> added = new LinkedHashMap<>();

    private final Map<String, ValueId> rows = new LinkedHashMap<>();
    private final List<Node> waiting = new ArrayList<>();

    private UnrollRounds(RoundGraphs rounds, int count) {
        this.rounds = rounds;
        this.count = count;
        this.builder = new GraphBuilder(rounds.body().name());
    }

    /** @param count of the rounds */
    public static Graph run(RoundGraphs rounds, int count) {
        return new UnrollRounds(rounds, count).run();
    }

    private Graph run() {
        all().forEach(this::takeInputs);
        rounds.counted()
                .ifPresent(counted ->
                        copies(counted).forEach(copy -> copy.graph().nodes().forEach(node -> emit(copy, node))));
        List<Copy> body = copies(rounds.body());
        Optional<Copy> updates = rounds.updates().map(graph -> new Copy(graph, 0, new LinkedHashMap<>()));
        updates.ifPresent(copy -> waiting.addAll(copy.graph().nodes()));
        Set<Node> first = beforeUpdates(rounds.body());
        for (boolean early : new boolean[] {true, false}) {
            List<Node> part = rounds.body().nodes().stream()
                    .filter(node -> first.contains(node) == early)
                    .toList();
            for (List<Node> layer : layers(part)) {
                body.forEach(copy -> layer.forEach(node -> emit(copy, node)));
                if (!early) {
                    updates.ifPresent(this::update);
                }
            }
        }
        updates.ifPresent(this::update);
        if (!waiting.isEmpty()) {
            throw new IllegalStateException("nothing gives " + waiting.getFirst() + " what it reads");
        }
        outputs(body.getLast());
        updates.ifPresent(this::outputs);
        return builder.build();
    }

    private List<Graph> all() {
        return Stream.of(rounds.counted(), Optional.of(rounds.body()), rounds.updates())
                .flatMap(Optional::stream)
                .toList();
    }

    private List<Copy> copies(Graph graph) {
        List<Copy> copies = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            copies.add(new Copy(graph, number, new LinkedHashMap<>()));
        }
        return copies;
    }

    private void takeInputs(Graph graph) {
        Set<String> combined = combined(graph);
        for (GraphInput input : graph.inputs()) {
            String name = graph.value(input.value()).name();
            TensorType type = graph.type(input.value());
            boolean taken = switch (input.kind()) {
                case PARAMETER, STATE, STEP, SEED, DATA -> true;
                case ACCUMULATOR -> combined.contains(name);
                case MICRO_BATCH -> false;
            };
            if (taken && !inputs.containsKey(name)) {
                TensorType whole = input.kind() == InputKind.DATA ? whole(type) : type;
                inputs.put(name, builder.input(input, name, whole));
                builder.carry(graph.value(input.value()), inputs.get(name));
            }
        }
    }

    /** Accumulators that something else than a sum is kept in, which is changed in its place. */
    private static Set<String> combined(Graph graph) {
        Set<String> names = new LinkedHashSet<>();
        for (Node node : graph.nodes()) {
            if (node.op() instanceof MicroBatchUpdate update && !(update instanceof Accumulate)) {
                update.writes()
                        .forEach(write -> names.add(graph.value(node.operands().get(write.operand()))
                                .name()));
            }
        }
        return names;
    }

    private TensorType whole(TensorType rowsOfOne) {
        List<Dim> dims = new ArrayList<>(rowsOfOne.shape().dims());
        dims.set(0, dims.getFirst().times(Dim.of(count)));
        return rowsOfOne.with(new Shape(dims));
    }

    /** What outputs need, losses among them, which are known before anything is updated; and the forward pass. */
    private static Set<Node> beforeUpdates(Graph graph) {
        Set<ValueId> needed = new LinkedHashSet<>();
        graph.outputs().forEach(output -> needed.add(output.value()));
        Set<Node> first = Collections.newSetFromMap(new LinkedHashMap<>());
        for (Node node : graph.nodes().reversed()) {
            if (node.role() == Role.FORWARD || node.results().stream().anyMatch(needed::contains)) {
                first.add(node);
                needed.addAll(node.operands());
            }
        }
        return first;
    }

    /** Runs of nodes of one layer: what stands in no layer belongs to the one before. */
    private static List<List<Node>> layers(List<Node> nodes) {
        List<List<Node>> layers = new ArrayList<>();
        String current = "";
        for (Node node : nodes) {
            String layer = layer(node.origin().scope());
            if (layers.isEmpty() || !layer.isEmpty() && !layer.equals(current)) {
                layers.add(new ArrayList<>());
            }
            layers.getLast().add(node);
            current = layer.isEmpty() ? current : layer;
        }
        return layers;
    }

    /** The outermost name of a scope, with the number that tells equal ones apart: {@code block.3}. */
    private static String layer(String scope) {
        String[] names = scope.split("\\.", -1);
        boolean numbered = names.length > 1 && !names[1].isEmpty() && Character.isDigit(names[1].charAt(0));
        return numbered ? names[0] + "." + names[1] : names[0];
    }

    /** Emits updates whose operands are complete, in their order. */
    private void update(Copy updates) {
        waiting.removeIf(node -> {
            boolean complete = node.operands().stream().allMatch(operand -> isComplete(updates, operand));
            if (complete) {
                emit(updates, node);
            }
            return complete;
        });
    }

    private boolean isComplete(Copy updates, ValueId operand) {
        Graph graph = updates.graph();
        if (!(graph.value(operand).definition() instanceof Value.Input(int index))) {
            return updates.values().containsKey(operand);
        }
        return graph.inputs().get(index).kind() != InputKind.ACCUMULATOR
                || added.getOrDefault(graph.value(operand).name(), 0) == count;
    }

    private void emit(Copy copy, Node node) {
        if (node.op() instanceof Accumulate) {
            add(copy, node);
        } else {
            append(copy, node);
        }
    }

    private void add(Copy copy, Node node) {
        String name = copy.graph().value(node.operands().getFirst()).name();
        ValueId value = find(copy, node.operands().get(1));
        ValueId sum = Optional.ofNullable(sums.get(name))
                .map(before -> builder.at(node.origin())
                        .as(roleOf(copy.graph(), node.operands().get(1)))
                        .add(before, value))
                .orElse(value);
        if (!sum.equals(value)) {
            builder.rename(sum, name);
        }
        for (ValueId part : List.of(value, sum)) {
            builder.carry(copy.graph().value(node.operands().getFirst()), part);
        }
        hold(name, sum);
        copy.values().put(node.results().getFirst(), sum);
    }

    /** What is counted in the forward pass is added up in it; where that ends is where the backward pass begins. */
    private static Role roleOf(Graph graph, ValueId part) {
        return graph.value(part)
                .producer()
                .map(producer -> graph.node(producer).role())
                .orElse(Role.FORWARD);
    }

    private void append(Copy copy, Node node) {
        Graph graph = copy.graph();
        List<ValueId> operands =
                node.operands().stream().map(operand -> find(copy, operand)).toList();
        builder.at(node.origin()).as(node.role());
        List<String> names = node.results().stream()
                .map(result -> graph.value(result).name())
                .toList();
        List<ValueId> results = builder.append(
                node.op().atPiece(copy.number()), operands, graph.types(node.results()), names, Optional.empty());
        for (int i = 0; i < results.size(); i++) {
            Value old = graph.value(node.results().get(i));
            ValueId now = results.get(i);
            builder.carry(old, now);
            copy.values().put(old.id(), now);
        }
        if (node.op() instanceof MicroBatchUpdate update) {
            for (Update.Write write : update.writes()) {
                hold(graph.value(node.operands().get(write.operand())).name(), results.get(write.result()));
            }
        }
    }

    private void hold(String accumulator, ValueId sum) {
        sums.put(accumulator, sum);
        added.merge(accumulator, 1, Integer::sum);
    }

    private ValueId find(Copy copy, ValueId operand) {
        Graph graph = copy.graph();
        if (!(graph.value(operand).definition() instanceof Value.Input(int index))) {
            return copy.values().get(operand);
        }
        GraphInput input = graph.inputs().get(index);
        String name = graph.value(operand).name();
        return switch (input.kind()) {
            case PARAMETER, STATE, STEP, SEED -> inputs.get(name);
            case ACCUMULATOR -> Optional.ofNullable(sums.get(name)).orElseGet(() -> inputs.get(name));
            case DATA -> rows.computeIfAbsent(name + " " + copy.number(), key -> slice(name, copy.number()));
            case MICRO_BATCH -> {
                builder.at(Origin.NONE).as(Role.FORWARD);
                yield builder.filled(copy.number(), TensorType.scalar(DType.I64));
            }
        };
    }

    private ValueId slice(String name, int number) {
        TensorType whole = builder.type(inputs.get(name));
        List<Dim> sizes = new ArrayList<>(whole.shape().dims());
        List<Dim> starts = new ArrayList<>(Collections.nCopies(sizes.size(), Dim.of(0)));
        long each = sizes.getFirst().value() / count;
        sizes.set(0, Dim.of(each));
        starts.set(0, Dim.of(number * each));
        builder.at(Origin.NONE).as(Role.FORWARD);
        return builder.apply(new Slice(starts, sizes), inputs.get(name));
    }

    private void outputs(Copy copy) {
        for (GraphOutput output : copy.graph().outputs()) {
            builder.output(output.name(), find(copy, output.value()));
        }
    }
}
