package dev.remat.compiler.section;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.ranks.ExchangePieces;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.training.BuildStepGraph;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.compiler.training.StepGraph;
import dev.remat.ir.graph.Graph;
import java.util.function.UnaryOperator;

/** The graphs of a step, of which there is one unless it is cut into micro-batches that run in rounds. */
public final class BuildSectionGraphs {
    private BuildSectionGraphs() {}

    /**
     * @param forward of the model, simplified
     * @param passes is told of each pass over the body
     * @param drawn gives a graph that draws random numbers what its target reads for that
     * @param ranks that compute micro-batches side by side, a number that divides theirs
     * @param shares what of the state they hold in shares
     */
    public static SectionGraphs run(
            ElaboratedModel model,
            SimplifiedGraph forward,
            PassListener passes,
            UnaryOperator<Graph> drawn,
            int ranks,
            Shares shares) {
        if (model.microBatches().isEmpty()) {
            StepGraph step = BuildStepGraph.run(forward, model.purpose(), model.training(), passes);
            return SectionGraphs.whole(new StepGraph(drawn.apply(step.graph())));
        }
        MicroBatches cut = model.microBatches().get();
        RoundGraphs rounds = BuildStepGraph.inRounds(forward, cut, model.purpose(), model.training(), passes);
        if (ranks > 1) {
            RoundGraphs exchanging = ExchangePieces.run(rounds, ranks, shares);
            passes.ran("exchange-pieces", exchanging.body());
            return SectionGraphs.of(exchanging, cut.count() / ranks, drawn);
        }
        boolean breadth =
                model.training().microBatchOrder() == MicroBatchOrder.BREADTH && model.purpose() != Purpose.EVALUATE;
        if (!breadth) {
            return SectionGraphs.of(rounds, cut.count(), drawn);
        }
        Graph unrolled = passes.after("unroll-rounds", UnrollRounds.run(rounds, cut.count()));
        return SectionGraphs.whole(new StepGraph(drawn.apply(BuildStepGraph.tidied(unrolled, passes))));
    }
}
