package dev.remat.cli;

import dev.remat.compiler.Compilation;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.op.Dropout;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a few training steps of one plan gave, to compare with another plan of the same model.
 *
 * @param recomputed nodes that the plan repeats
 * @param recomputedDropouts how many of them draw a dropout mask
 * @param highWaterBytes what the kernels really received of the arena
 */
record PlanTrial(
        String name,
        List<Double> losses,
        String stateHash,
        int recomputed,
        int recomputedDropouts,
        long arenaBytes,
        long highWaterBytes) {
    PlanTrial {
        losses = List.copyOf(losses);
    }

    /** Trains on synthetic data, freed memory overwritten with NaN. */
    static PlanTrial run(String name, Compilation compilation, int steps) {
        int recomputed = 0;
        int dropouts = 0;
        for (List<NodeId> step : compilation.rematerialized().steps()) {
            for (NodeId id : step) {
                Node node = compilation.rematerialized().graph().node(id);
                recomputed += node.isClone() ? 1 : 0;
                dropouts += node.isClone() && node.op() instanceof Dropout ? 1 : 0;
            }
        }
        try (Executable executable = Target.load(compilation.plan(), true);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(
                    executable,
                    data.training(
                            InputFeed.specs(compilation.plan()),
                            compilation.plan().seed()));
            List<Double> losses = new ArrayList<>();
            for (int i = 0; i < steps; i++) {
                losses.add(trainer.step().loss());
            }
            return new PlanTrial(
                    name,
                    losses,
                    trainer.state().hash(),
                    recomputed,
                    dropouts,
                    compilation.plan().arenaBytes(),
                    executable.highWaterBytes());
        }
    }

    boolean sameResults(PlanTrial other) {
        return losses.equals(other.losses) && stateHash.equals(other.stateHash);
    }
}
