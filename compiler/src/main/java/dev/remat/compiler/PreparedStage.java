package dev.remat.compiler;

import dev.remat.compiler.pipeline.StageGraph;
import dev.remat.compiler.pipeline.Visit;
import dev.remat.compiler.plan.build.PipeMode;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.IntPredicate;

/**
 * A stage up to the question of what to recompute.
 *
 * @param step of the stage, with all its micro-batches
 * @param visits in which each value is made, as {@link StageGraph} has them
 */
public record PreparedStage(PreparedStep step, SequencedMap<String, Visit> visits) {
    /** In which visit a node of its problem runs first. */
    public Optional<Visit> visit(int node) {
        return StageGraph.visit(step.planning(), visits, node);
    }

    /** The same to be planned as options say, which do not know what is of the last micro-batch. */
    PreparedStep with(CompileOptions options) {
        CompileOptions own = options.strategy()
                .filter(PipeMode.class::isInstance)
                .map(mode -> options.with(((PipeMode) mode).withLast(last())))
                .orElse(options);
        return step.with(own);
    }

    private IntPredicate last() {
        int last = visits.values().stream().mapToInt(Visit::microBatch).max().orElse(0);
        return node -> visit(node).filter(visit -> visit.microBatch() == last).isPresent();
    }
}
