package dev.remat.cli.ranks;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.batch.Sums;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.Send;
import java.util.Optional;
import java.util.stream.Stream;

/** Tells where gradients of a parameter that several stages read go between them for every micro-batch. */
final class TiedNote {
    private TiedNote() {}

    static Optional<String> of(StageSet set) {
        TrainingSpec training = set.prepared().getFirst().step().model().training();
        int microBatches = set.stages().getFirst().microBatches();
        return training.sums() == Sums.BY_USE || microBatches == 1
                ? Optional.empty()
                : set.plans().stages().stream()
                        .flatMap(TiedNote::sent)
                        .filter(parameter ->
                                training.objective(parameter.name()).isPresent())
                        .findFirst()
                        .map(parameter -> "several stages read " + parameter.name() + ", whose gradients, "
                                + ByteSize.format(parameter.type().bytes()) + ", are sent for each of " + microBatches
                                + " micro-batches; 'sums by_use' in train sends them once, in another order of sums");
    }

    /** Parameters that a stage has, and another reads. */
    private static Stream<ArenaTensor> sent(ExecutionPlan stage) {
        return stage.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .filter(input -> stage.steps().stream()
                        .anyMatch(step -> step.name().equals("sent." + input.name())
                                && step.body().instructions().getFirst().op() instanceof Send));
    }
}
