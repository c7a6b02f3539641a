package dev.remat.cli.command;

import dev.remat.cli.device.Device;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.lane.Places;
import java.util.Optional;

/**
 * What is trained.
 *
 * @param plan of all stages, where there are some
 * @param stages that run side by side
 * @param evaluation takes turns with the plan
 */
record TrainSubject(
        ExecutionPlan plan,
        Optional<PlanSet> stages,
        Optional<ExecutionPlan> evaluation,
        Device device,
        RunFacts facts) {
    Executable load(boolean poison, Places places) {
        return stages.<Executable>map(set -> device.load(set, poison))
                .orElseGet(() -> device.load(plan, poison, places));
    }
}
