package dev.remat.cli.check;

import dev.remat.cli.check.PlanFinding.Outcome;
import dev.remat.cli.check.PlanFinding.Work;
import dev.remat.cli.console.Progress;
import dev.remat.cli.device.Device;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.ExchangeChecker;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.runtime.Executable;
import dev.remat.runtime.check.PlanTrial;
import dev.remat.runtime.io.Dataset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Trains a few steps by an artifact's one plan, as it is and with freed memory overwritten, and compares bits. There is
 * no model to plan otherwise or to differentiate.
 */
public final class CheckArtifact {
    private CheckArtifact() {}

    /** @throws dev.remat.ir.execution.PlanViolationException if the plan reads what is not there */
    public static CheckReport run(ExecutionPlan plan, Device device, Dataset data, int steps, Progress progress) {
        ArenaChecker.check(plan, device.target().alignment());
        LaneChecker.check(plan);
        ExchangeChecker.check(plan);
        List<KernelStep> recomputed =
                plan.steps().stream().filter(KernelStep::recomputed).toList();
        Work work = new Work(
                plan.arenaBytes(),
                plan.steps().size(),
                recomputed.size(),
                (int) recomputed.stream()
                        .flatMap(step -> step.body().instructions().stream())
                        .filter(instruction -> instruction.op().drawnOrdinal().isPresent())
                        .count(),
                0);
        List<PlanFinding> findings = new ArrayList<>();
        Optional<PlanTrial> first = Optional.empty();
        for (boolean poison : new boolean[] {false, true}) {
            String name = poison ? "freed memory overwritten" : "as it was built";
            progress.tell("training " + name);
            try (Executable executable = device.load(plan, poison)) {
                PlanTrial trial = PlanTrial.run(executable, data, steps);
                String difference = first.flatMap(trial::firstDifference).orElse("");
                findings.add(new PlanFinding(name, new Outcome.Ran(work, trial, difference)));
                first = first.or(() -> Optional.of(trial));
            }
        }
        return new CheckReport(steps, findings, List.of(), Map.of());
    }
}
