package dev.remat.compiler;

import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.section.PreparedSection;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.GradientClip;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Update;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A step compiled up to the question of what to recompute.
 *
 * @param planning of the section that is planned: the whole step, or a micro-batch
 * @param rounds how often that section runs in a step
 * @param before sections that run before it
 * @param after sections that run after it
 * @param chunked losses whose logits exist a chunk at a time
 * @param stages charged for whatever is done with the step
 */
public record PreparedStep(
        ElaboratedModel model,
        CompileOptions options,
        PlanningProblem planning,
        int rounds,
        List<PreparedSection> before,
        List<PreparedSection> after,
        List<ChunkedLoss> chunked,
        StageRunner stages) {
    public PreparedStep {
        before = List.copyOf(before);
        after = List.copyOf(after);
        chunked = List.copyOf(chunked);
    }

    /** The same to be planned otherwise; what lies below is to be the same, and losses are cut as they are. */
    public PreparedStep with(CompileOptions other) {
        return new PreparedStep(model, other.with(options.chunks()), planning, rounds, before, after, chunked, stages);
    }

    /** The same whose stages nobody is told of: for work on it beside other work. */
    public PreparedStep apart() {
        StageRunner untold = new StageRunner(Optional.empty());
        return new PreparedStep(model, options, planning, rounds, before, after, chunked, untold);
    }

    /** Sections that run as they are, beside the one that is planned. */
    private List<PreparedSection> beside() {
        return Stream.concat(before.stream(), after.stream()).toList();
    }

    /** What all sections cost together with a plan that costs {@code planned} a round. */
    public long cost(long planned) {
        long cost = Math.multiplyExact(planned, (long) rounds);
        for (PreparedSection other : beside()) {
            cost = Math.addExact(cost, Math.multiplyExact(other.cost(), (long) other.rounds()));
        }
        return cost;
    }

    /**
     * Cost of recomputations over the step's cost without them, with a plan that costs {@code planned} a round; zero
     * where nothing costs anything.
     */
    public double overhead(long planned) {
        long baseline = cost(planning.problem().baselineCost());
        return baseline == 0 ? 0 : (double) (cost(planned) - baseline) / baseline;
    }

    /** With the model line of the tensor whose computation needs so much. */
    public MemoryFloor floor() {
        MemoryFloor floor = floor(planning);
        for (PreparedSection other : beside()) {
            MemoryFloor own = floor(other.planning());
            floor = own.bytes() > floor.bytes() ? own : floor;
        }
        return floor;
    }

    private MemoryFloor floor(PlanningProblem planning) {
        Floor floor = Floor.of(planning.exact());
        if (floor.node() < 0) {
            return new MemoryFloor(floor.bytes(), "what the step is given and leaves behind");
        }
        Graph graph = planning.fused().graph();
        Node root = graph.node(planning.group(floor.node()).root());
        return new MemoryFloor(floor.bytes(), described(root, graph));
    }

    /** What a node does, in words; what no line of the model computes is called by the setting that wants it. */
    private String described(Node root, Graph graph) {
        String result = graph.value(root.results().getFirst()).name();
        Location location = root.origin().location();
        String place = location.equals(Location.NONE) ? "" : " at " + location;
        return switch (root.op()) {
            case ChunkSquares _, SumOfChunks _, SumOfSquares _ ->
                "taking the norm of all gradients for clip_norm"
                        + model.training().objectives().stream()
                                .flatMap(objective -> objective.clip().stream())
                                .map(GradientClip::location)
                                .filter(clip -> !clip.equals(Location.NONE))
                                .map(clip -> " at " + clip)
                                .distinct()
                                .collect(Collectors.joining(" and"));
            case AllFinite _ -> "looking for infinite gradients, as scaled losses need it";
            case Update _ ->
                "updating " + graph.value(root.operands().getFirst()).name() + place;
            case Op _ -> "computing " + result + place;
        };
    }
}
