package dev.remat.compiler.recipe;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.solve.AnswerWriter;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.target.CostModel;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.IntStream;

/**
 * The model as it was read, what was set, and the sequence that a search has found: whatever a plan follows from, so
 * that everything that was known of it when it was made can be asked again.
 *
 * @param sources the model's file, then those it includes; their names are those that locations have
 * @param settings symbols and hyper-parameters that were set, as they were written
 * @param purpose of the step
 * @param microBatches that a batch is cut into, from 1
 * @param microBatchOrder in which a step goes through them
 * @param costs what planning was charged for
 * @param below where tensors could be moved, and which
 * @param chunks into which losses are cut
 * @param sequence the search's answer, as {@code remat-sequence/1}, or {@code /2} where tensors could be moved
 * @param retained why the strategy keeps what it keeps: reasons by value
 * @param tighteningRounds of the search
 */
public record PlanRecipe(
        List<Source> sources,
        SequencedMap<String, String> settings,
        Purpose purpose,
        DType precision,
        int microBatches,
        MicroBatchOrder microBatchOrder,
        long seed,
        CostModel costs,
        Below below,
        Chunks chunks,
        String sequence,
        SequencedMap<String, RetainReason> retained,
        int tighteningRounds) {
    public PlanRecipe {
        sources = List.copyOf(sources);
        settings = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(settings));
        retained = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(retained));
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("a model without a file");
        }
        if (microBatches < 1) {
            throw new IllegalArgumentException(microBatches + " micro-batches");
        }
    }

    /** The model as it was planned. */
    public ModelSession model() {
        return ModelSession.of(
                ModelText.of(sources),
                ModelSettings.of(Bindings.of(settings))
                        .withPrecision(precision)
                        .withSeed(seed)
                        .cutInto(microBatches)
                        .with(microBatchOrder));
    }

    /** Of a plan that was just made. */
    public static PlanRecipe of(
            Compilation plan, Purpose purpose, List<Source> sources, SequencedMap<String, String> settings) {
        RematProblem problem = plan.planning().problem();
        SequencedMap<String, RetainReason> retained = new LinkedHashMap<>();
        plan.sequence().retained().forEach(value -> retained.put(problem.valueId(value.value()), value.reason()));
        return new PlanRecipe(
                sources,
                settings,
                purpose,
                plan.model().training().precision(),
                plan.model().training().microBatches(),
                plan.model().training().microBatchOrder(),
                plan.model().training().seed(),
                plan.costs(),
                below(plan.step().options().below(), problem),
                plan.step().options().chunks(),
                AnswerWriter.write(problem, SolveAnswer.of(problem.name(), plan.search())),
                retained,
                plan.search().tighteningRounds());
    }

    /** What the compiler has chosen, where that was left to it, is as if it were asked for. */
    private static Below below(Below asked, RematProblem problem) {
        boolean livesBelow =
                IntStream.range(0, problem.tiers().size()).anyMatch(tier -> problem.residentBytes(tier) > 0);
        return asked.movable() == Movable.AUTO && livesBelow ? new Below(asked.tiers(), Movable.ALL) : asked;
    }
}
