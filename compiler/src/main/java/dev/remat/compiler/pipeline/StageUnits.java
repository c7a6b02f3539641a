package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.Piece.Section;
import dev.remat.compiler.pipeline.PlaceNodes.Places;
import dev.remat.compiler.pipeline.Source.Given;
import dev.remat.compiler.pipeline.Source.Made;
import dev.remat.compiler.pipeline.Source.Rows;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What each stage computes in which order: what is known of the whole batch first, then its visits, then updates. Each
 * input is at home on one stage, a parameter on the first that reads it, where it is updated; what is read elsewhere is
 * sent from there.
 */
final class StageUnits {
    /** An output of a piece. */
    record Left(Piece piece, GraphOutput output) {}

    /** A node of a piece. */
    record Item(Piece piece, Node node) {}

    /**
     * A run of nodes of a stage.
     *
     * @param visit of which it is; empty where it is for all micro-batches
     */
    record Unit(Optional<Visit> visit, List<Item> items) {
        /** Negative where it is for all. */
        int microBatch() {
            return visit.map(Visit::microBatch).orElse(-1);
        }
    }

    private final StepPieces pieces;
    private final Places parts;
    private final int stages;
    private final List<List<Unit>> units = new ArrayList<>();
    /** Stages by the names of inputs. */
    private final Map<String, Integer> homes = new LinkedHashMap<>();

    private final int[] updates;
    private int counted;

    /**
     * @param parts of nodes, in place of places
     * @param orders visits by stage
     */
    StageUnits(StepPieces pieces, Places parts, List<List<Visit>> orders) {
        this.pieces = pieces;
        this.parts = parts;
        this.stages = orders.size();
        this.updates = new int
                [pieces.has(Section.UPDATES)
                        ? pieces.graph(Section.UPDATES).nodes().size()
                        : 0];
        giveHomes();
        placeUpdates();
        for (int stage = 0; stage < stages; stage++) {
            units.add(new ArrayList<>(List.of(new Unit(Optional.empty(), new ArrayList<>()))));
            for (Visit visit : orders.get(stage)) {
                units.get(stage).add(new Unit(Optional.of(visit), new ArrayList<>()));
            }
            units.get(stage).add(new Unit(Optional.empty(), new ArrayList<>()));
        }
        fill(orders);
    }

    /** Stages by the names of inputs that something reads. */
    Map<String, Integer> homes() {
        return homes;
    }

    List<Unit> of(int stage) {
        return units.get(stage);
    }

    int stages() {
        return stages;
    }

    /** The stage that computes or has something. */
    int stage(Source source) {
        return switch (source) {
            case Made(Piece piece, ValueId value) ->
                stage(piece, pieces.maker(piece, value).orElseThrow());
            case Given(String input) -> homes.get(input);
            case Rows(String input, int _) -> homes.get(input);
        };
    }

    private int stage(Piece piece, Node node) {
        return switch (piece.section()) {
            case COUNTED -> counted;
            case BODY -> parts.places()[node.id().index()] % stages;
            case UPDATES -> updates[node.id().index()];
        };
    }

    /**
     * Inputs of micro-batches to the first part that reads them; what is counted to the last
     * that reads the counts.
     */
    private void giveHomes() {
        Map<String, Integer> first = new LinkedHashMap<>();
        Piece piece = new Piece(Section.BODY, 0);
        int last = 0;
        for (Node node : pieces.graph(Section.BODY).nodes()) {
            if (pieces.isFree(Section.BODY, node)) {
                continue;
            }
            int part = parts.places()[node.id().index()];
            for (Source source : pieces.sources(piece, node)) {
                switch (source) {
                    case Given(String input) -> first.merge(input, part, Math::min);
                    case Rows(String input, int _) -> first.merge(input, part, Math::min);
                    case Made(Piece of, ValueId _) ->
                        last = of.section() == Section.COUNTED ? Math.max(last, part) : last;
                }
            }
        }
        first.forEach((input, part) -> homes.put(input, part % stages));
        counted = last % stages;
        if (pieces.has(Section.COUNTED)) {
            Piece own = new Piece(Section.COUNTED, 0);
            for (Node node : pieces.graph(Section.COUNTED).nodes()) {
                pieces.sources(own, node).forEach(source -> settle(source, counted));
            }
        }
    }

    /** Gives an input that has no home one. */
    private void settle(Source source, int stage) {
        switch (source) {
            case Given(String input) -> homes.putIfAbsent(input, stage);
            case Rows(String input, int _) -> homes.putIfAbsent(input, stage);
            case Made _ -> {}
        }
    }

    /**
     * An update runs where the first of what it changes is at home, everything else where most
     * of its operands are.
     */
    private void placeUpdates() {
        if (!pieces.has(Section.UPDATES)) {
            return;
        }
        Piece piece = new Piece(Section.UPDATES, 0);
        pieces.graph(piece).nodes().stream()
                .filter(this::writesInput)
                .forEach(node -> written(node).ifPresent(home -> settleWritten(node, home)));
        for (Node node : pieces.graph(piece).nodes()) {
            if (pieces.isFree(Section.UPDATES, node)) {
                continue;
            }
            Set<Source> sources = pieces.sources(piece, node);
            int stage = written(node).orElseGet(() -> largest(piece, node));
            updates[node.id().index()] = stage;
            written(node).ifPresent(home -> settleWritten(node, home));
            sources.forEach(source -> settle(source, stage));
        }
    }

    /** Whether the first of what an update changes is an input, rather than what another has made. */
    private boolean writesInput(Node node) {
        Graph graph = pieces.graph(Section.UPDATES);
        return node.op() instanceof Update update
                && graph.value(node.operands().get(update.writes().getFirst().operand()))
                        .producer()
                        .isEmpty();
    }

    /** Where the first of what an update changes is, or was made by another. */
    private Optional<Integer> written(Node node) {
        Graph graph = pieces.graph(Section.UPDATES);
        return node.op() instanceof Update update
                ? update.writes().stream()
                        .map(write -> node.operands().get(write.operand()))
                        .map(value -> graph.value(value)
                                .producer()
                                .map(maker -> updates[maker.index()])
                                .orElse(homes.get(graph.value(value).name())))
                        .filter(home -> home != null)
                        .findFirst()
                : Optional.empty();
    }

    /** What an update changes is at home together. */
    private void settleWritten(Node node, int home) {
        Graph graph = pieces.graph(Section.UPDATES);
        for (Update.Write write : ((Update) node.op()).writes()) {
            ValueId value = node.operands().get(write.operand());
            if (graph.value(value).producer().isEmpty()) {
                homes.putIfAbsent(graph.value(value).name(), home);
            }
        }
    }

    private int largest(Piece piece, Node node) {
        int stage = 0;
        long most = -1;
        for (ValueId operand : node.operands()) {
            Set<Source> sources = new LinkedHashSet<>();
            pieces.addSources(piece, operand, sources);
            for (Source source : sources) {
                boolean known = !(source instanceof Given(String input)) || homes.containsKey(input);
                long bytes = pieces.graph(piece).type(operand).bytes();
                if (known && bytes > most) {
                    most = bytes;
                    stage = stage(source);
                }
            }
        }
        return stage;
    }

    private void fill(List<List<Visit>> orders) {
        for (Piece piece : pieces.all()) {
            for (Node node : pieces.graph(piece).nodes()) {
                if (!pieces.isFree(piece.section(), node)) {
                    int stage = stage(piece, node);
                    units.get(stage)
                            .get(unit(piece, node, orders.get(stage)))
                            .items()
                            .add(new Item(piece, node));
                }
            }
        }
    }

    private int unit(Piece piece, Node node, List<Visit> order) {
        return switch (piece.section()) {
            case COUNTED -> 0;
            case BODY ->
                1
                        + order.indexOf(new Visit(
                                parts.places()[node.id().index()],
                                parts.phases()[node.id().index()],
                                piece.number()));
            case UPDATES -> order.size() + 1;
        };
    }

    /** What callers get of the step, with the piece that has it. */
    List<Left> outputs() {
        List<Left> outputs = new ArrayList<>();
        Piece last = new Piece(Section.BODY, pieces.microBatches() - 1);
        pieces.graph(last).outputs().forEach(output -> outputs.add(new Left(last, output)));
        if (pieces.has(Section.UPDATES)) {
            Piece after = new Piece(Section.UPDATES, 0);
            pieces.graph(after).outputs().forEach(output -> outputs.add(new Left(after, output)));
        }
        return outputs;
    }

    /** The stage that gives an output. */
    int stage(Left left) {
        Set<Source> sources = new LinkedHashSet<>();
        pieces.addSources(left.piece(), left.output().value(), sources);
        return sources.stream().map(this::stage).findFirst().orElse(0);
    }
}
