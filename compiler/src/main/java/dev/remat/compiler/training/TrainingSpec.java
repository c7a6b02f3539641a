package dev.remat.compiler.training;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.batch.Sums;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.List;
import java.util.Optional;

/**
 * What the {@code train} block says.
 *
 * @param objectives losses, the one that is reported as the step's first; no parameter is trained by two; none for a
 *     model that is evaluated alone
 * @param frozen parameters that no loss trains
 * @param average of trained parameters, by which evaluation computes
 * @param precision dtype of activations and of the copies of parameters that compute, while parameters stay f32; with
 *     f64 everything is f64, parameters too
 * @param givenScaling of the losses; without it the {@link #scaling} of the precision
 * @param microBatches parts of equal size, from 1, into which a step cuts its batch
 * @param microBatchOrder in which a step goes through them
 * @param sums how the gradients of a parameter that is read in several places are added up over micro-batches
 * @param gradients dtype to which those of a micro-batch are rounded before they are added up, which ranks send; not
 *     where everything is f64
 * @param seed of every random draw
 */
public record TrainingSpec(
        List<Objective> objectives,
        List<ParameterPattern> frozen,
        Optional<Average> average,
        DType precision,
        Optional<LossScaling> givenScaling,
        int microBatches,
        MicroBatchOrder microBatchOrder,
        Sums sums,
        DType gradients,
        long seed) {
    /** Of a model that is not trained. */
    public static final TrainingSpec NONE = new TrainingSpec(
            List.of(),
            List.of(),
            Optional.empty(),
            DType.F32,
            Optional.empty(),
            1,
            MicroBatchOrder.DEPTH,
            Sums.BY_MICRO_BATCH,
            DType.F32,
            0);

    public TrainingSpec {
        objectives = List.copyOf(objectives);
        frozen = List.copyOf(frozen);
        if (!precision.isFloat()) {
            throw new IllegalArgumentException("precision " + precision.label() + " is not a float");
        }
        if (microBatches < 1) {
            throw new IllegalArgumentException("micro_batches must be 1 or more, and is " + microBatches);
        }
    }

    /** One loss that trains every parameter alike, by the whole batch at once. */
    public static TrainingSpec of(
            Optimizer optimizer,
            LearningRateSchedule schedule,
            Optional<GradientClip> clip,
            DType precision,
            long seed) {
        Objective objective = new Objective(
                ExecutionPlan.LOSS,
                List.of(ParameterPattern.ALL),
                List.of(),
                new UpdateRule(optimizer, schedule),
                clip);
        return new TrainingSpec(
                List.of(objective),
                List.of(),
                Optional.empty(),
                precision,
                Optional.empty(),
                1,
                MicroBatchOrder.DEPTH,
                Sums.BY_MICRO_BATCH,
                DType.F32,
                seed);
    }

    /** How losses are scaled: with f16 dynamically unless something else is given. */
    public LossScaling scaling() {
        LossScaling usual = precision == DType.F16 ? LossScaling.Dynamic.DEFAULT : new LossScaling.None();
        return givenScaling.orElse(usual);
    }

    /** The objective that trains {@code parameter}; empty for a frozen one. */
    public Optional<Objective> objective(String parameter) {
        return isFrozen(parameter)
                ? Optional.empty()
                : objectives.stream()
                        .filter(objective -> objective.trains(parameter))
                        .findFirst();
    }

    public boolean isFrozen(String parameter) {
        return frozen.stream().anyMatch(pattern -> pattern.matches(parameter));
    }

    /** Whether there is an average of {@code parameter}. */
    public boolean isAveraged(String parameter) {
        return average.map(kept -> kept.covers(parameter)).orElse(false)
                && objective(parameter).isPresent();
    }

    /** Name of the tensor that evaluation takes for {@code parameter}: its average, or itself. */
    public String evaluated(String parameter) {
        return isAveraged(parameter) ? ExecutionPlan.averageOf(parameter) : parameter;
    }

    /** The same, with evaluation by the parameters as trained. */
    public TrainingSpec withoutAverage() {
        return new TrainingSpec(
                objectives,
                frozen,
                Optional.empty(),
                precision,
                givenScaling,
                microBatches,
                microBatchOrder,
                sums,
                gradients,
                seed);
    }

    public TrainingSpec withSeed(long other) {
        return new TrainingSpec(
                objectives,
                frozen,
                average,
                precision,
                givenScaling,
                microBatches,
                microBatchOrder,
                sums,
                gradients,
                other);
    }

    public TrainingSpec withPrecision(DType other) {
        return new TrainingSpec(
                objectives, frozen, average, other, givenScaling, microBatches, microBatchOrder, sums, gradients, seed);
    }

    public TrainingSpec withMicroBatches(int other) {
        return new TrainingSpec(
                objectives, frozen, average, precision, givenScaling, other, microBatchOrder, sums, gradients, seed);
    }

    public TrainingSpec with(MicroBatchOrder other) {
        return new TrainingSpec(
                objectives, frozen, average, precision, givenScaling, microBatches, other, sums, gradients, seed);
    }
}
