package dev.remat.runtime.check;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What a few training steps of one plan gave, to compare with another plan of the same model.
 *
 * @param losses by step
 * @param stateHash of parameters and state after the last step
 * @param tensorHashes of each of them by name
 * @param highWaterBytes what the kernels really received of the arena
 */
public record PlanTrial(
        List<Double> losses,
        String stateHash,
        SequencedMap<String, String> tensorHashes,
        long arenaBytes,
        long highWaterBytes) {
    public PlanTrial {
        losses = List.copyOf(losses);
        tensorHashes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(tensorHashes));
    }

    /**
     * Trains.
     *
     * @param executable of the plan, which the caller closes
     */
    public static PlanTrial run(Executable executable, Dataset data, int steps) {
        ExecutionPlan plan = executable.plan();
        Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
        List<Double> losses = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            losses.add(trainer.step().loss());
        }
        return new PlanTrial(
                losses,
                trainer.state().hash(),
                trainer.state().hashes(),
                plan.arenaBytes(),
                executable.highWaterBytes());
    }

    /** The first loss that is another number, else the first tensor of the state that has other bits; in words. */
    public Optional<String> firstDifference(PlanTrial other) {
        for (int i = 0; i < losses.size(); i++) {
            if (!losses.get(i).equals(other.losses.get(i))) {
                return Optional.of(
                        "the loss of step " + (i + 1) + " is " + losses.get(i) + ", not " + other.losses.get(i));
            }
        }
        return tensorHashes.keySet().stream()
                .filter(name -> !tensorHashes.get(name).equals(other.tensorHashes.get(name)))
                .findFirst()
                .map(name -> name + " has other bits after step " + losses.size());
    }

    /** Whether the kernels received all of the arena and nothing beyond. */
    public boolean usesTheArenaExactly() {
        return highWaterBytes == arenaBytes;
    }
}
