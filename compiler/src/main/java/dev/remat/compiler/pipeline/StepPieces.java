package dev.remat.compiler.pipeline;

import dev.remat.compiler.fusion.GroupAssembly;
import dev.remat.compiler.pipeline.Piece.Section;
import dev.remat.compiler.pipeline.Source.Given;
import dev.remat.compiler.pipeline.Source.Made;
import dev.remat.compiler.pipeline.Source.Rows;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All graphs of a step, one for each micro-batch where it runs for each, and what they read of one another. What costs
 * nothing, such as views, is made where it is read, and so is what follows from the number of the step alone.
 */
final class StepPieces {
    private final Map<Section, Graph> graphs = new EnumMap<>(Section.class);
    private final int microBatches;
    private final int ranks;
    /** By the name of an accumulator: what the last micro-batch leaves in it. */
    private final Map<String, Made> sums = new LinkedHashMap<>();
    /** Of the updates, by node: whether it depends on nothing but the number of the step. */
    private final boolean[] everywhere;

    /**
     * @param microBatches of each rank
     * @param ranks that compute micro-batches side by side, each in turn
     */
    StepPieces(RoundGraphs rounds, int microBatches, int ranks) {
        rounds.counted().ifPresent(graph -> graphs.put(Section.COUNTED, graph));
        graphs.put(Section.BODY, rounds.body());
        rounds.updates().ifPresent(graph -> graphs.put(Section.UPDATES, graph));
        this.microBatches = microBatches;
        this.ranks = ranks;
        for (Section section : List.of(Section.COUNTED, Section.BODY)) {
            Optional.ofNullable(graphs.get(section)).ifPresent(graph -> addSums(section, graph));
        }
        everywhere = new boolean
                [graphs.containsKey(Section.UPDATES)
                        ? graph(Section.UPDATES).nodes().size()
                        : 0];
        for (int n = 0; n < everywhere.length; n++) {
            Node node = graph(Section.UPDATES).nodes().get(n);
            everywhere[n] = !(node.op() instanceof Update)
                    && node.operands().stream()
                            .allMatch(operand -> sources(new Piece(Section.UPDATES, 0), operand)
                                    .isEmpty());
        }
    }

    private void addSums(Section section, Graph graph) {
        for (Node node : graph.nodes()) {
            if (node.op() instanceof MicroBatchUpdate update) {
                for (Update.Write write : update.writes()) {
                    sums.put(
                            graph.value(node.operands().get(write.operand())).name(),
                            new Made(
                                    new Piece(section, microBatches - 1),
                                    node.results().get(write.result())));
                }
            }
        }
    }

    /** Of each rank. */
    int microBatches() {
        return microBatches;
    }

    /** The number that a piece has on the first rank among the micro-batches of all. */
    int number(Piece piece) {
        return piece.number() * ranks;
    }

    boolean has(Section section) {
        return graphs.containsKey(section);
    }

    Graph graph(Section section) {
        return graphs.get(section);
    }

    Graph graph(Piece piece) {
        return graphs.get(piece.section());
    }

    /** In the order in which one stage would run them. */
    List<Piece> all() {
        List<Piece> pieces = new ArrayList<>();
        for (Section section : List.of(Section.COUNTED, Section.BODY)) {
            for (int k = 0; has(section) && k < microBatches; k++) {
                pieces.add(new Piece(section, k));
            }
        }
        if (has(Section.UPDATES)) {
            pieces.add(new Piece(Section.UPDATES, 0));
        }
        return pieces;
    }

    /** Whether micro-batches add to an accumulator of that name. */
    boolean isSummed(String accumulator) {
        return sums.containsKey(accumulator);
    }

    /** The type of an input; of data, of one micro-batch's rows. */
    TensorType type(String input) {
        return graphs.values().stream()
                .flatMap(graph -> graph.inputs().stream()
                        .map(each -> graph.value(each.value()))
                        .filter(value -> value.name().equals(input)))
                .findFirst()
                .orElseThrow()
                .type();
    }

    /** What the last micro-batch leaves in an accumulator. */
    Made sum(String accumulator) {
        return sums.get(accumulator);
    }

    /** Whether each stage that reads what a node makes has it for itself. */
    boolean isFree(Section section, Node node) {
        return GroupAssembly.isFree(node)
                || node.op() instanceof Literal
                || section == Section.UPDATES && everywhere[node.id().index()];
    }

    /** The node that makes a value, unless it is an input. */
    Optional<Node> maker(Piece piece, ValueId value) {
        Graph graph = graph(piece);
        return graph.value(value).producer().map(graph::node);
    }

    /** What a node reads of other stages' or its own work. */
    Set<Source> sources(Piece piece, Node node) {
        Set<Source> sources = new LinkedHashSet<>();
        for (int k = 0; k < node.operands().size(); k++) {
            if (!isAccumulator(piece, node, k)) {
                addSources(piece, node.operands().get(k), sources);
            } else if (piece.number() > 0) {
                sources.add(before(piece, node, k));
            }
        }
        return sources;
    }

    private Set<Source> sources(Piece piece, ValueId value) {
        Set<Source> sources = new LinkedHashSet<>();
        addSources(piece, value, sources);
        return sources;
    }

    /** Whether an operand is what the node adds to, as micro-batches before have left it. */
    static boolean isAccumulator(Piece piece, Node node, int operand) {
        return piece.section() != Section.UPDATES
                && node.op() instanceof MicroBatchUpdate update
                && update.writes().stream().anyMatch(write -> write.operand() == operand);
    }

    /** What the micro-batch before has left in such an operand. */
    static Made before(Piece piece, Node node, int operand) {
        int result = ((MicroBatchUpdate) node.op())
                .writes().stream()
                        .filter(write -> write.operand() == operand)
                        .findFirst()
                        .orElseThrow()
                        .result();
        return new Made(
                new Piece(piece.section(), piece.number() - 1), node.results().get(result));
    }

    /** Where a value comes from; several where it is made of others for free. */
    void addSources(Piece piece, ValueId value, Set<Source> sources) {
        Graph graph = graph(piece);
        if (graph.type(value).dtype() == DType.SEED) {
            return;
        }
        if (graph.value(value).definition() instanceof Value.Input(int index)) {
            source(piece, graph.inputs().get(index)).ifPresent(sources::add);
            return;
        }
        Node maker = maker(piece, value).orElseThrow();
        if (isFree(piece.section(), maker)) {
            maker.operands().forEach(operand -> addSources(piece, operand, sources));
        } else {
            sources.add(new Made(piece, value));
        }
    }

    /** Nothing of a number of the step, which every stage has. */
    Optional<Source> source(Piece piece, GraphInput input) {
        String name = graph(piece).value(input.value()).name();
        return switch (input.kind()) {
            case PARAMETER, STATE -> Optional.of(new Given(name));
            case DATA -> Optional.of(new Rows(name, piece.number()));
            case ACCUMULATOR -> Optional.of(sum(name));
            case STEP, SEED, MICRO_BATCH -> Optional.empty();
        };
    }
}
