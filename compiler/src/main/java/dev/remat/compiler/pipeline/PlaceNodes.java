package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.Piece.Section;
import dev.remat.compiler.pipeline.Source.Made;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.View;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Where each node of a micro-batch stands in the forward pass: a forward node at its own
 * place, a backward node at that
 * of the call whose gradient it is, and never behind what its gradient has come from, so that forward values go up and
 * gradients down. Sums stand where what they add is made.
 */
final class PlaceNodes {
    private final StepPieces pieces;
    private final Graph graph;
    private final int[] place;
    private final Phase[] phase;
    private final Map<Origin, TreeSet<Integer>> calls = new LinkedHashMap<>();
    private int last;

    private PlaceNodes(StepPieces pieces) {
        this.pieces = pieces;
        this.graph = pieces.graph(Section.BODY);
        this.place = new int[graph.nodes().size()];
        this.phase = new Phase[place.length];
    }

    /**
     * Places by node.
     *
     * @param phases by node
     */
    record Places(int[] places, Phase[] phases) {}

    /**
     * @param own place of a forward node that costs something; it stands no earlier than what it reads
     * @param splits whether gradients of parameters are a phase of their own
     */
    static Places run(StepPieces pieces, ToIntFunction<Node> own, boolean splits) {
        PlaceNodes pass = new PlaceNodes(pieces);
        pass.run(own);
        if (splits) {
            pass.split();
        }
        return new Places(pass.place, pass.phase);
    }

    private void run(ToIntFunction<Node> own) {
        for (Node node : graph.nodes()) {
            int n = node.id().index();
            boolean free = pieces.isFree(Section.BODY, node);
            phase[n] = phaseOf(node);
            if (phase[n] == Phase.FORWARD && node.role() == Role.FORWARD && !free) {
                place[n] = Math.max(
                        own.applyAsInt(node),
                        operands(node, Phase.FORWARD).max(Integer::compare).orElse(0));
                last = Math.max(last, place[n]);
                calls.computeIfAbsent(node.origin().call(), _ -> new TreeSet<>())
                        .add(place[n]);
            }
        }
        for (Node node : graph.nodes()) {
            int n = node.id().index();
            if (phase[n] == Phase.FORWARD && node.role() != Role.FORWARD) {
                place[n] = operands(node, Phase.FORWARD).max(Integer::compare).orElse(0);
            } else if (phase[n] == Phase.BACKWARD) {
                place[n] = backward(node);
            }
        }
    }

    /** An effect belongs to the pass that it follows. */
    private Phase phaseOf(Node node) {
        return switch (node.role()) {
            case FORWARD -> Phase.FORWARD;
            case BACKWARD -> Phase.BACKWARD;
            case UPDATE -> operands(node, Phase.BACKWARD).findAny().isPresent() ? Phase.BACKWARD : Phase.FORWARD;
        };
    }

    /** Places of the nodes of a phase that a node reads. */
    private Stream<Integer> operands(Node node, Phase of) {
        return pieces.sources(new Piece(Section.BODY, 0), node).stream()
                .filter(Made.class::isInstance)
                .map(source -> (Made) source)
                .filter(made -> made.piece().section() == Section.BODY)
                .map(made -> graph.value(made.value()).producer().orElseThrow().index())
                .filter(maker -> phase[maker] == of)
                .map(maker -> place[maker]);
    }

    private int backward(Node node) {
        int bound = operands(node, Phase.BACKWARD).min(Integer::compare).orElse(last);
        if (node.op() instanceof MicroBatchUpdate) {
            return bound;
        }
        Integer call = calls.getOrDefault(node.origin().call(), new TreeSet<>()).floor(bound);
        return call != null
                ? call
                : Math.min(
                        bound,
                        operands(node, Phase.FORWARD).max(Integer::compare).orElse(bound));
    }

    /** What leads to sums alone, in a few steps behind one that takes long, may wait. */
    private void split() {
        ValueMap<List<NodeId>> consumers = graph.consumers();
        for (Node node : graph.nodes().reversed()) {
            int n = node.id().index();
            if (phase[n] == Phase.BACKWARD) {
                List<NodeId> readers = node.results().stream()
                        .flatMap(result -> consumers.get(result).stream())
                        .toList();
                boolean waits = node.op() instanceof MicroBatchUpdate
                        || !readers.isEmpty()
                                && readers.stream()
                                        .allMatch(reader -> phase[reader.index()] == Phase.WEIGHTS
                                                && isLight(graph.node(reader).op()));
                boolean isOutput = graph.outputs().stream()
                        .anyMatch(output -> node.results().contains(output.value()));
                phase[n] = waits && !isOutput ? Phase.WEIGHTS : Phase.BACKWARD;
            }
        }
    }

    private static boolean isLight(Op op) {
        return op instanceof MicroBatchUpdate
                || op instanceof Exchange
                || op instanceof Elementwise
                || op instanceof View
                || op instanceof Concat
                || op instanceof Pad;
    }
}
