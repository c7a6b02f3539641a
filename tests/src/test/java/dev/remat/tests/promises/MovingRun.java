package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.util.function.Consumer;

/** A few steps of a plan whose tensors may be moved to the host's memory; what is freed anywhere is poisoned. */
final class MovingRun {
    private static final int STEPS = 3;

    private MovingRun() {}

    /**
     * Losses and the hash of the state in the end.
     *
     * @param ahead what a lane does before each transfer, such as to be late
     */
    static String train(ExecutionPlan plan, Consumer<Transfer> ahead) {
        Lanes.Options lanes = new Lanes.Options(size -> new HostPlace(size.bytes()), true, ahead);
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, true, lanes));
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            StringBuilder losses = new StringBuilder();
            for (int i = 0; i < STEPS; i++) {
                losses.append(trainer.step().loss()).append(' ');
            }
            assertThat(executable.highWaterBytes()).isEqualTo(plan.arenaBytes());
            return losses + trainer.state().hash();
        }
    }
}
