package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.Piece.Section;
import dev.remat.compiler.pipeline.PlaceNodes.Places;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Node;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * Cuts a step whose operations are decided into the graphs of its stages, each with all micro-batches in the order of
 * a schedule. A stage has the operations that the whole has, on the same operands, so that no bit depends on the cut.
 */
public final class CutStages {
    private CutStages() {}

    /**
     * By stage.
     *
     * @param rounds of a step that is cut into micro-batches, rewritten as fusion does
     * @param microBatches of each rank
     * @param ranks that compute them side by side, which {@code rounds} exchanges between
     * @param lead how many times as long messages may be on their way as stages in step need, at least 1
     * @param part of a forward node of the body that costs something; not falling along the graph
     */
    public static List<StageGraph> run(
            RoundGraphs rounds,
            int microBatches,
            int ranks,
            Schedule schedule,
            int stages,
            int lead,
            ToIntFunction<Node> part) {
        StepPieces whole = new StepPieces(rounds, microBatches, ranks);
        Places parts = PlaceNodes.run(whole, part, schedule.splitsBackward());
        List<List<Visit>> orders = schedule.orders(stages, microBatches);
        StageUnits first = new StageUnits(whole, parts, orders);
        RoundGraphs folded = new RoundGraphs(
                rounds.counted(),
                rounds.body(),
                rounds.updates().map(updates -> FoldByStage.run(updates, value -> stage(whole, first, value))));
        StepPieces pieces = new StepPieces(folded, microBatches, ranks);
        StageUnits units = new StageUnits(pieces, parts, orders);
        MessageRoutes messages = new MessageRoutes(pieces, units, MessageLead.of(schedule, stages, microBatches, lead));
        return IntStream.range(0, stages)
                .mapToObj(stage -> EmitStage.run(pieces, units, messages, stage))
                .toList();
    }

    private static int stage(StepPieces pieces, StageUnits units, ValueId value) {
        Set<Source> sources = new LinkedHashSet<>();
        pieces.addSources(new Piece(Section.UPDATES, 0), value, sources);
        return sources.stream().map(units::stage).findFirst().orElse(0);
    }
}
