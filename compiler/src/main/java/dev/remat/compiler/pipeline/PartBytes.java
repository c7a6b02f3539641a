package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.PlaceNodes.Places;
import dev.remat.compiler.pipeline.Source.Given;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Update;
import dev.remat.ir.plan.RematProblem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * About how many bytes parts of a model need, and how much longer they take within fewer: what of the micro-batches
 * that a part holds does not fit is computed again. By places of the forward pass, of which a part is a run.
 */
final class PartBytes {
    private final StepPieces pieces;
    private final Places places;
    private final StageRoom room;
    /** By place, what comes before it: of parameters and what is kept beside them. */
    private final long[] state;
    /** The same of what a micro-batch keeps for its backward pass. */
    private final long[] kept;
    /** The same of what its forward pass costs. */
    private final long[] forward;
    /** By place, what a part that begins there takes of others. */
    private final long[] taken;

    /** @param pieces of the graph that {@code problem} is of, not exchanged yet */
    PartBytes(StepPieces pieces, Places places, PlanningProblem problem, int count, StageRoom room) {
        this.pieces = pieces;
        this.places = places;
        this.room = room;
        this.state = new long[count + 1];
        this.kept = new long[count + 1];
        this.forward = new long[count + 1];
        this.taken = new long[count + 1];
        addState();
        addValues(problem);
        for (long[] sums : new long[][] {state, kept, forward}) {
            for (int place = 0; place < count; place++) {
                sums[place + 1] += sums[place];
            }
        }
    }

    private void addState() {
        Map<String, Integer> homes = new LinkedHashMap<>();
        Graph body = pieces.graph(Piece.Section.BODY);
        Piece piece = new Piece(Piece.Section.BODY, 0);
        for (Node node : body.nodes()) {
            int place = places.places()[node.id().index()];
            if (!pieces.isFree(piece.section(), node)) {
                for (Source source : pieces.sources(piece, node)) {
                    if (source instanceof Given(String input)) {
                        homes.merge(input, place, Math::min);
                    }
                }
            }
            if (node.op() instanceof MicroBatchUpdate update) {
                update.writes().forEach(write -> homes.put(name(body, node, write), place));
            }
        }
        if (pieces.has(Piece.Section.UPDATES)) {
            addUpdated(homes);
        }
        for (Piece.Section section : Piece.Section.values()) {
            if (pieces.has(section)) {
                pieces.graph(section).inputs().forEach(input -> addInput(pieces.graph(section), input, homes));
            }
        }
    }

    private static String name(Graph graph, Node node, Update.Write write) {
        return graph.value(node.operands().get(write.operand())).name();
    }

    /** What updates change lies where the first of what they read does. */
    private void addUpdated(Map<String, Integer> homes) {
        Graph updates = pieces.graph(Piece.Section.UPDATES);
        for (Node node : updates.nodes()) {
            if (node.op() instanceof Update update) {
                Optional<Integer> home = node.operands().stream()
                        .map(operand -> homes.get(updates.value(operand).name()))
                        .filter(place -> place != null)
                        .findFirst();
                home.ifPresent(place ->
                        update.writes().forEach(write -> homes.putIfAbsent(name(updates, node, write), place)));
            }
        }
    }

    /** Once, whichever graphs have it. */
    private void addInput(Graph graph, GraphInput input, Map<String, Integer> homes) {
        Integer home = homes.remove(graph.value(input.value()).name());
        if (home != null) {
            long bytes = graph.type(input.value()).bytes();
            state[home + 1] += bytes / room.sharers(input.kind() == InputKind.PARAMETER);
        }
    }

    private void addValues(PlanningProblem planning) {
        RematProblem problem = planning.problem();
        Graph graph = planning.fused().graph();
        int[] last = new int[problem.valueCount()];
        boolean[] read = new boolean[problem.valueCount()];
        for (int n = planning.residents(); n < problem.nodeCount(); n++) {
            Node root = graph.node(planning.group(n).root());
            int place = places.places()[root.id().index()];
            boolean isForward = root.role() == Role.FORWARD;
            forward[place + 1] += isForward ? problem.cost(n) : 0;
            for (int k = 0; k < problem.inputCount(n); k++) {
                int value = problem.input(n, k);
                last[value] = isForward ? Math.max(last[value], place) : last[value];
                read[value] |= !isForward;
            }
        }
        for (int n = planning.residents(); n < problem.nodeCount(); n++) {
            Node root = graph.node(planning.group(n).root());
            int place = places.places()[root.id().index()];
            for (int value = problem.firstResult(n); value < problem.endResult(n); value++) {
                if (root.role() == Role.FORWARD) {
                    kept[place + 1] += read[value] ? problem.bytes(value) : 0;
                    for (int at = place + 1; at <= last[value]; at++) {
                        taken[at] += problem.bytes(value);
                    }
                }
            }
        }
    }

    /**
     * What a part takes that takes {@code time} where nothing is computed again; {@link PartitionBlocks.Cost#TOO_LARGE}
     * if what it is given alone is more than there is.
     *
     * @param to exclusive
     */
    long cost(int part, int from, int to, long time) {
        long held = room.held(part);
        long free = room.bytes() - (state[to] - state[from]);
        long all = held * (kept[to] - kept[from]);
        if (all <= free) {
            return time;
        }
        if (held * taken[from] > free) {
            return PartitionBlocks.Cost.TOO_LARGE;
        }
        double again = Math.min(1, (all - free) / (double) all);
        return time + (long) (again * (forward[to] - forward[from]));
    }
}
