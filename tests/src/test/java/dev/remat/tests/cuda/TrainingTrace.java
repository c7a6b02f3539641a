package dev.remat.tests.cuda;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.TensorBytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * What a few training steps on synthetic data leave behind.
 *
 * @param losses of every step
 * @param state every tensor that outlives a step, after each step: parameters, optimizer state, running statistics
 * @param hash of the last state's bytes
 */
public record TrainingTrace(List<Double> losses, List<SequencedMap<String, Tensor>> state, String hash) {
    static TrainingTrace of(Executable executable, int steps) {
        return of(executable, steps, _ -> {});
    }

    /** @param change what is done to the initial values before the first step */
    static TrainingTrace of(Executable executable, int steps, Consumer<Executable> change) {
        try (SyntheticDataset data = new SyntheticDataset()) {
            var plan = executable.plan();
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            change.accept(executable);
            List<Double> losses = new ArrayList<>();
            List<SequencedMap<String, Tensor>> state = new ArrayList<>();
            for (int i = 0; i < steps; i++) {
                losses.add(trainer.step().loss());
                state.add(state(executable));
            }
            return new TrainingTrace(losses, state, trainer.state().hash());
        }
    }

    private static SequencedMap<String, Tensor> state(Executable executable) {
        SequencedMap<String, Tensor> state = new LinkedHashMap<>();
        for (ArenaTensor tensor : executable.plan().inputs()) {
            if (tensor.kind().isPersistent()) {
                var bytes = executable.read(tensor.offset(), tensor.type().bytes());
                state.put(tensor.name(), TensorBytes.decode(tensor.type(), bytes, 0));
            }
        }
        return state;
    }
}
