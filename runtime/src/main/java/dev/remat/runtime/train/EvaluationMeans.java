package dev.remat.runtime.train;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** Means of loss and scalar outputs over batches, each with the weight of its samples. */
public final class EvaluationMeans {
    private final SequencedMap<String, Double> sums = new LinkedHashMap<>();
    private double losses;
    private boolean hasLoss;
    private long weight;

    /** Adds what a plan has just computed from {@code rows} samples. */
    public void add(Executable executable, long rows) {
        Optional<PlanOutput> loss = executable.plan().findOutput(ExecutionPlan.LOSS);
        hasLoss = loss.isPresent();
        loss.ifPresent(output -> losses += rows * Scalars.read(executable, output));
        new ScalarOutputs(executable).read().forEach((name, value) -> sums.merge(name, rows * value, Double::sum));
        weight += rows;
    }

    /** Samples added so far. */
    public long samples() {
        return weight;
    }

    /** @throws IllegalStateException before the first batch */
    public Evaluation mean() {
        if (weight == 0) {
            throw new IllegalStateException("a mean of nothing");
        }
        SequencedMap<String, Double> means = new LinkedHashMap<>();
        sums.forEach((name, sum) -> means.put(name, sum / weight));
        return new Evaluation(hasLoss ? OptionalDouble.of(losses / weight) : OptionalDouble.empty(), means);
    }
}
