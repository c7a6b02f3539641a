package dev.remat.compiler.pipeline;

import dev.remat.compiler.fusion.SeedChain;
import dev.remat.compiler.pipeline.MessageRoutes.Way;
import dev.remat.compiler.pipeline.Piece.Section;
import dev.remat.compiler.pipeline.Source.Given;
import dev.remat.compiler.pipeline.Source.Made;
import dev.remat.compiler.pipeline.Source.Rows;
import dev.remat.compiler.pipeline.StageUnits.Item;
import dev.remat.compiler.pipeline.StageUnits.Left;
import dev.remat.compiler.pipeline.StageUnits.Unit;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.Send;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** The graph of one stage: its units one behind the other, with what it sends and takes. */
final class EmitStage {
    /** Something that is made for free, on this stage. */
    private record Own(Piece piece, ValueId value) {}

    /** What has been sent, and the last unit that it may take to go. */
    private record Sent(int until, ValueId value) {}

    private final StepPieces pieces;
    private final StageUnits units;
    private final MessageRoutes messages;
    private final int stage;
    private final GraphBuilder builder;
    private final Map<String, ValueId> inputs = new LinkedHashMap<>();
    private final Map<Source, ValueId> there = new LinkedHashMap<>();
    private final Map<Integer, ValueId> numbers = new LinkedHashMap<>();
    private final Map<Own, ValueId> free = new LinkedHashMap<>();
    private final Map<Section, SeedChain> seeds = new EnumMap<>(Section.class);
    private final List<Sent> held = new ArrayList<>();
    private final Map<ValueId, Visit> visits = new LinkedHashMap<>();
    private Optional<ValueId> token = Optional.empty();
    private int unit;

    private EmitStage(StepPieces pieces, StageUnits units, MessageRoutes messages, int stage) {
        this.pieces = pieces;
        this.units = units;
        this.messages = messages;
        this.stage = stage;
        this.builder = new GraphBuilder(pieces.graph(Section.BODY).name());
    }

    static StageGraph run(StepPieces pieces, StageUnits units, MessageRoutes messages, int stage) {
        return new EmitStage(pieces, units, messages, stage).run();
    }

    private StageGraph run() {
        takeInputs();
        List<Unit> own = units.of(stage);
        for (unit = 0; unit < own.size(); unit++) {
            messages.taken(stage, unit).forEach(this::receive);
            messages.given(stage, unit).forEach(this::send);
            for (Item item : own.get(unit).items()) {
                emit(item);
                for (ValueId result : item.node().results()) {
                    ValueId made = there.get(new Made(item.piece(), result));
                    own.get(unit).visit().ifPresent(visit -> visits.put(made, visit));
                }
            }
        }
        for (Left left : units.outputs()) {
            if (units.stage(left) == stage) {
                builder.output(
                        left.output().name(), find(left.piece(), left.output().value()));
            }
        }
        Graph graph = builder.build();
        SequencedMap<String, Visit> named = new LinkedHashMap<>();
        visits.forEach((value, visit) -> named.put(graph.value(value).name(), visit));
        return new StageGraph(graph, named);
    }

    private void takeInputs() {
        for (Section section : Section.values()) {
            if (!pieces.has(section)) {
                continue;
            }
            Graph graph = pieces.graph(section);
            for (GraphInput input : graph.inputs()) {
                Value value = graph.value(input.value());
                if (isHere(input, value.name()) && !inputs.containsKey(value.name())) {
                    TensorType type = input.kind() == InputKind.DATA ? whole(value.type()) : value.type();
                    inputs.put(value.name(), builder.input(input, value.name(), type));
                    builder.carry(value, inputs.get(value.name()));
                }
            }
        }
    }

    private boolean isHere(GraphInput input, String name) {
        return switch (input.kind()) {
            case PARAMETER, STATE, DATA -> units.homes().getOrDefault(name, -1) == stage;
            case ACCUMULATOR -> pieces.isSummed(name) && units.stage(pieces.sum(name)) == stage;
            case STEP, SEED -> true;
            case MICRO_BATCH -> false;
        };
    }

    private TensorType whole(TensorType rowsOfOne) {
        List<Dim> dims = new ArrayList<>(rowsOfOne.shape().dims());
        dims.set(0, dims.getFirst().times(Dim.of(pieces.microBatches())));
        return rowsOfOne.with(new Shape(dims));
    }

    private void emit(Item item) {
        Piece piece = item.piece();
        Node node = item.node();
        Graph graph = pieces.graph(piece);
        List<ValueId> operands = new ArrayList<>();
        for (int k = 0; k < node.operands().size(); k++) {
            ValueId operand = node.operands().get(k);
            boolean sum = StepPieces.isAccumulator(piece, node, k);
            operands.add(
                    !sum
                            ? find(piece, operand)
                            : piece.number() > 0
                                    ? there.get(StepPieces.before(piece, node, k))
                                    : inputs.get(graph.value(operand).name()));
        }
        List<ValueId> results = append(piece, node, operands);
        for (int k = 0; k < results.size(); k++) {
            ValueId result = node.results().get(k);
            there.put(new Made(piece, result), results.get(k));
            send(new Made(piece, result));
        }
    }

    private List<ValueId> append(Piece piece, Node node, List<ValueId> operands) {
        Graph graph = pieces.graph(piece);
        builder.at(node.origin()).as(node.role());
        List<String> names = node.results().stream()
                .map(result -> graph.value(result).name())
                .toList();
        List<ValueId> results = builder.append(
                piece.section() == Section.UPDATES ? node.op() : node.op().atPiece(pieces.number(piece)),
                operands,
                graph.types(node.results()),
                names,
                Optional.empty());
        for (int k = 0; k < results.size(); k++) {
            builder.carry(graph.value(node.results().get(k)), results.get(k));
        }
        return results;
    }

    /** What a value of a piece is on this stage. */
    private ValueId find(Piece piece, ValueId value) {
        Graph graph = pieces.graph(piece);
        if (graph.type(value).dtype() == DType.SEED) {
            return seed(piece, value);
        }
        if (graph.value(value).definition() instanceof Value.Input(int index)) {
            GraphInput input = graph.inputs().get(index);
            return pieces.source(piece, input)
                    .map(this::find)
                    .orElseGet(() -> input.kind() == InputKind.MICRO_BATCH
                            ? number(pieces.number(piece))
                            : inputs.get(graph.value(value).name()));
        }
        Node maker = pieces.maker(piece, value).orElseThrow();
        if (!pieces.isFree(piece.section(), maker)) {
            return find(new Made(piece, value));
        }
        Own own = new Own(maker.op() instanceof Literal ? new Piece(piece.section(), 0) : piece, value);
        if (!free.containsKey(own)) {
            List<ValueId> operands = maker.operands().stream()
                    .map(operand -> find(piece, operand))
                    .toList();
            List<ValueId> results = append(own.piece(), maker, operands);
            for (int k = 0; k < results.size(); k++) {
                free.put(new Own(own.piece(), maker.results().get(k)), results.get(k));
            }
        }
        return free.get(own);
    }

    private ValueId find(Source source) {
        return switch (source) {
            case Made made -> there.get(made);
            case Given given when units.stage(given) == stage -> inputs.get(given.input());
            case Rows rows
            when units.stage(rows) == stage -> there.computeIfAbsent(rows, _ -> slice(rows.input(), rows.number()));
            case Source other -> there.get(other);
        };
    }

    private ValueId seed(Piece piece, ValueId seed) {
        int ordinal = seeds.computeIfAbsent(piece.section(), section -> SeedChain.of(pieces.graph(section)))
                .ordinal(seed);
        builder.at(Origin.NONE).as(Role.FORWARD);
        return builder.apply(new ResetSeed(ordinal));
    }

    /** In memory, where updates read it. */
    private ValueId number(int microBatch) {
        return numbers.computeIfAbsent(microBatch, number -> {
            builder.at(Origin.NONE).as(Role.FORWARD);
            return builder.apply(new Contiguous(), builder.filled(number, TensorType.scalar(DType.I64)));
        });
    }

    private ValueId slice(String input, int number) {
        TensorType whole = builder.type(inputs.get(input));
        List<Dim> sizes = new ArrayList<>(whole.shape().dims());
        List<Dim> starts = new ArrayList<>(Collections.nCopies(sizes.size(), Dim.of(0)));
        long each = sizes.getFirst().value() / pieces.microBatches();
        sizes.set(0, Dim.of(each));
        starts.set(0, Dim.of(number * each));
        builder.at(Origin.NONE).as(Role.FORWARD);
        return builder.apply(new Slice(starts, sizes), inputs.get(input));
    }

    /** Sends something to all that read it; what is sent is not overwritten as long as the next unit runs. */
    private void send(Source source) {
        for (Way way : messages.sent(source)) {
            ValueId value = find(source);
            List<ValueId> operands = new ArrayList<>(List.of(value));
            operands.addAll(behind());
            at(source);
            ValueId sent = builder.apply(new Send(way.to(), way.number()), operands.toArray(ValueId[]::new));
            builder.rename(sent, "sent." + messages.name(source));
            token = Optional.of(sent);
            if (source instanceof Made) {
                held.add(new Sent(unit + way.lead(), value));
            }
        }
    }

    private void receive(Way way) {
        Source source = way.source();
        TensorType type = switch (source) {
            case Made(Piece piece, ValueId value) -> pieces.graph(piece).type(value);
            case Given(String input) -> pieces.type(input);
            case Rows(String input, int _) -> pieces.type(input);
        };
        List<ValueId> operands = behind();
        at(source);
        List<ValueId> results = builder.emit(new Receive(way.from(), way.number(), type), operands);
        builder.rename(results.getFirst(), messages.name(source));
        builder.rename(results.getLast(), "taken." + messages.name(source));
        token = Optional.of(results.getLast());
        there.put(source, results.getFirst());
    }

    /** What a message follows: the one before, and what was sent long enough ago. */
    private List<ValueId> behind() {
        List<ValueId> operands = new ArrayList<>(token.stream().toList());
        held.stream()
                .filter(sent -> sent.until() < unit)
                .map(Sent::value)
                .distinct()
                .forEach(operands::add);
        held.removeIf(sent -> sent.until() < unit);
        return operands;
    }

    /** Messages belong to the pass of what they bring. */
    private void at(Source source) {
        Role role = switch (source) {
            case Made(Piece piece, ValueId value) -> {
                Role made = pieces.maker(piece, value).orElseThrow().role();
                yield made == Role.FORWARD ? Role.FORWARD : Role.BACKWARD;
            }
            case Given _, Rows _ -> Role.FORWARD;
        };
        builder.at(Origin.NONE).as(role);
    }
}
