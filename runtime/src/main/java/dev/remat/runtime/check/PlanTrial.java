package dev.remat.runtime.check;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.stream.IntStream;

/**
 * What a few training steps of one plan gave, to compare with another plan of the same model.
 *
 * @param losses by step
 * @param stateHash of parameters and state after the last step
 * @param tensorHashes of each of them by name
 * @param highWaterBytes what the kernels really received of the arena
 * @param straying the first rank whose state is another than the first rank's, if there is one
 */
public record PlanTrial(
        List<Double> losses,
        String stateHash,
        SequencedMap<String, String> tensorHashes,
        long arenaBytes,
        long highWaterBytes,
        OptionalInt straying) {
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
        String hash = trainer.state().hash();
        OptionalInt straying = IntStream.range(1, executable.ranks().size())
                .filter(rank -> !TrainingState.seenBy(rank, executable).hash().equals(hash))
                .findFirst();
        return new PlanTrial(
                losses, hash, trainer.state().hashes(), plan.arenaBytes(), executable.highWaterBytes(), straying);
    }

    /** A rank that strays, else the first other loss, else the first tensor of the state with other bits; in words. */
    public Optional<String> firstDifference(PlanTrial other) {
        if (straying.isPresent()) {
            return Optional.of(
                    "rank " + straying.getAsInt() + " has another state than rank 0 after step " + losses.size());
        }
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
