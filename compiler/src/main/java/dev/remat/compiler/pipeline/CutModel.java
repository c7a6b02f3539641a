package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.PlaceNodes.Places;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Where a model is cut into parts that take equally long, forward and backward together. Borders lie at the marks in a
 * model's text, or between its calls where there are none, and never inside what fusion makes one kernel.
 */
public final class CutModel {
    /** Above so many places the outermost layers alone are borders. */
    private static final int MANY = 400;

    private final Graph graph;
    private final PlanningProblem problem;
    /** Of each node: its group among the forward ones, or negative. */
    private final int[] groupOf;

    private final List<Node> roots = new ArrayList<>();
    /** Of each group the first node. */
    private final List<Node> firsts = new ArrayList<>();
    /** Of each group its kernel. */
    private final List<Integer> kernels = new ArrayList<>();

    private final StepPieces pieces;
    private final Places places;
    private final List<Integer> borders;
    private final boolean marked;

    private CutModel(PlanningProblem problem, RoundGraphs rounds, int microBatches) {
        this.graph = problem.fused().graph();
        this.problem = problem;
        this.groupOf = new int[graph.nodes().size()];
        this.pieces = new StepPieces(new RoundGraphs(rounds.counted(), graph, rounds.updates()), microBatches, 1);
        number();
        this.places = PlaceNodes.run(pieces, node -> groupOf[node.id().index()], false);
        List<Integer> marks = marks();
        this.marked = !marks.isEmpty();
        this.borders = marked ? marks : calls();
        borders.addFirst(0);
        borders.add(roots.size());
    }

    /**
     * Cuts a micro-batch's graph.
     *
     * @param rounds the step that {@code problem} is the body of, with as many micro-batches
     * @param room that parts have, so that they are to take as long as can be with what is computed again for it; where
     *     nothing fits, or there is none, they are cut by their time
     * @throws TooFewBlocksException if there are fewer places to cut at
     */
    public static ModelParts run(
            PlanningProblem problem, RoundGraphs rounds, int microBatches, int parts, Optional<StageRoom> room) {
        return new CutModel(problem, rounds, microBatches).run(parts, room);
    }

    /**
     * What a step takes at least wherever the model is cut: each stage computes its part of every micro-batch, and all
     * of that but what needs nothing of stages in front begins when the first has come through these.
     *
     * @param each micro-batches of a rank, of {@code microBatches} of all
     * @param stages from 1
     * @return 0 if there are fewer places to cut at
     */
    public static long leastMakespan(
            PlanningProblem problem, RoundGraphs rounds, int microBatches, int each, int stages, Schedule schedule) {
        return new CutModel(problem, rounds, microBatches).leastMakespan(each, stages, schedule);
    }

    private ModelParts run(int parts, Optional<StageRoom> room) {
        int blocks = borders.size() - 1;
        long[] before = before(_ -> true);
        PartitionBlocks.Cost time = (_, from, to) -> before[to] - before[from];
        Optional<int[]> within = room.flatMap(own -> {
            PartBytes bytes = new PartBytes(pieces, places, problem, roots.size(), own);
            return PartitionBlocks.run(
                    blocks,
                    parts,
                    (part, from, to) -> bytes.cost(part, borders.get(from), borders.get(to), time.of(part, from, to)));
        });
        int[] begins = within.or(() -> PartitionBlocks.run(blocks, parts, time))
                .orElseThrow(() -> new TooFewBlocksException(parts, blocks, marked));
        SequencedMap<String, Integer> part = new LinkedHashMap<>();
        for (Node node : graph.nodes()) {
            int own = 0;
            for (int p = 0; p < parts; p++) {
                own = groupOf[node.id().index()] >= borders.get(begins[p]) ? p : own;
            }
            if (!node.results().isEmpty()) {
                part.put(graph.value(node.results().getFirst()).name(), own);
            }
        }
        return new ModelParts(part);
    }

    private long leastMakespan(int each, int stages, Schedule schedule) {
        int blocks = borders.size() - 1;
        long[] before = before(_ -> true);
        if (schedule.partsEach() > 1) {
            // Several parts of a stage may lie anywhere.
            return each * before[blocks] / stages;
        }
        long[] heads = heads();
        long[] first = new long[blocks];
        long[][] behind = new long[blocks][];
        for (int block = 0; block < blocks; block++) {
            long head = heads[kernels.get(borders.get(block))];
            first[block] = head;
            behind[block] = before(kernel -> heads[kernel] >= head);
        }
        PartitionBlocks.Cost least = (_, from, to) -> Math.max(
                each * (before[to] - before[from]), first[from] + each * (behind[from][to] - behind[from][from]));
        return PartitionBlocks.run(blocks, stages, least)
                .map(begins -> IntStream.range(0, stages)
                        .mapToLong(stage ->
                                least.of(stage, begins[stage], stage + 1 < stages ? begins[stage + 1] : blocks))
                        .max()
                        .orElseThrow())
                .orElse(0L);
    }

    /** By block, what the kernels of those in front of it cost, forward and backward, of which some are counted. */
    private long[] before(IntPredicate counted) {
        long[] cost = new long[roots.size()];
        for (int n = problem.residents(); n < problem.problem().nodeCount(); n++) {
            if (counted.test(n)) {
                Node root = graph.node(problem.group(n).root());
                cost[places.places()[root.id().index()]] += problem.problem().cost(n);
            }
        }
        long[] before = new long[borders.size()];
        for (int block = 1; block < before.length; block++) {
            before[block] = before[block - 1]
                    + IntStream.range(borders.get(block - 1), borders.get(block))
                            .mapToLong(group -> cost[group])
                            .sum();
        }
        return before;
    }

    /** By kernel, what the longest way to it costs from the begin of a micro-batch. */
    private long[] heads() {
        RematProblem nodes = problem.problem();
        long[] heads = new long[nodes.nodeCount()];
        for (int n = problem.residents(); n < heads.length; n++) {
            for (int k = 0; k < nodes.inputCount(n); k++) {
                int maker = nodes.producer(nodes.input(n, k));
                heads[n] = Math.max(heads[n], heads[maker] + nodes.cost(maker));
            }
        }
        return heads;
    }

    /** Numbers forward groups in their order. */
    private void number() {
        Arrays.fill(groupOf, -1);
        for (int n = problem.residents(); n < problem.problem().nodeCount(); n++) {
            Node root = graph.node(problem.group(n).root());
            if (root.role() == Role.FORWARD) {
                for (NodeId member : problem.group(n).nodes()) {
                    groupOf[member.index()] = roots.size();
                }
                roots.add(root);
                kernels.add(n);
                firsts.add(graph.node(problem.group(n).nodes().getFirst()));
            }
        }
        // What is folded into a reader of another role stands where the group before it does.
        int last = 0;
        for (Node node : graph.nodes()) {
            int n = node.id().index();
            if (groupOf[n] >= 0) {
                last = Math.max(last, groupOf[n]);
            } else if (node.role() == Role.FORWARD) {
                groupOf[n] = last;
            }
        }
    }

    /** Groups that are the first behind a mark, but for the very first. */
    private List<Integer> marks() {
        List<Integer> marks = new ArrayList<>();
        int passed = roots.isEmpty() ? 0 : roots.getFirst().origin().stages();
        for (int group = 1; group < roots.size(); group++) {
            int own = roots.get(group).origin().stages();
            if (own > passed) {
                marks.add(group);
                passed = own;
            }
        }
        return marks;
    }

    /** Groups that begin a call, but for the very first. */
    private List<Integer> calls() {
        List<Integer> borders = new ArrayList<>();
        for (int group = 1; group < roots.size(); group++) {
            Origin before = roots.get(group - 1).origin();
            // Rounds of a loop may end with one call, and begin with others.
            if (!roots.get(group).origin().equals(before)
                    || !firsts.get(group).origin().equals(before)) {
                borders.add(group);
            }
        }
        if (borders.size() >= MANY) {
            borders.removeIf(group -> layer(group).equals(layer(group - 1)));
        }
        return borders;
    }

    /** The outermost name of a scope, with the number that tells equal ones apart. */
    private String layer(int group) {
        String[] names = roots.get(group).origin().scope().split("\\.", -1);
        boolean numbered = names.length > 1 && !names[1].isEmpty() && Character.isDigit(names[1].charAt(0));
        return numbered ? names[0] + "." + names[1] : names[0];
    }
}
