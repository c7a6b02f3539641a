package dev.remat.runtime.train;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.SyntheticDataset;
import java.util.ArrayList;
import java.util.List;

/**
 * What a few training steps of one plan gave, to compare with another plan of the same model.
 *
 * @param losses by step
 * @param stateHash of parameters and state after the last step
 * @param highWaterBytes what the kernels really received of the arena
 */
public record PlanTrial(List<Double> losses, String stateHash, long arenaBytes, long highWaterBytes) {
    public PlanTrial {
        losses = List.copyOf(losses);
    }

    /**
     * Trains on synthetic data.
     *
     * @param executable of the plan, which the caller closes
     */
    public static PlanTrial run(Executable executable, ExecutionPlan plan, int steps) {
        try (SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            List<Double> losses = new ArrayList<>();
            for (int i = 0; i < steps; i++) {
                losses.add(trainer.step().loss());
            }
            return new PlanTrial(losses, trainer.state().hash(), plan.arenaBytes(), executable.highWaterBytes());
        }
    }

    /** Whether losses and state are the same bits. */
    public boolean sameResults(PlanTrial other) {
        return losses.equals(other.losses) && stateHash.equals(other.stateHash);
    }

    /** Whether the kernels received all of the arena and nothing beyond. */
    public boolean usesTheArenaExactly() {
        return highWaterBytes == arenaBytes;
    }
}
