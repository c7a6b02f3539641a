package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.op.Literal;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.KernelProfile;
import dev.remat.ir.target.KernelTime;
import dev.remat.ir.target.KernelWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/** Predicted times by kernels of the plan, in the form in which measured ones are kept. */
final class PredictedProfile {
    /** Runs of kernels with one signature. */
    private record Runs(KernelWork work, int count, double nanos) {
        Runs plus(Runs other) {
            return new Runs(work, count + other.count, nanos + other.nanos);
        }

        KernelTime mean() {
            return KernelTime.of(work, count, Math.max(1, Math.round(nanos / count)));
        }
    }

    private PredictedProfile() {}

    /** Launches are charged with the gap that follows; steps that share them, by their bytes. */
    static KernelProfile of(Artifact artifact, DeviceCode device, SassModel model, List<LaunchCost> costs) {
        SequencedMap<String, Runs> kernels = new TreeMap<>();
        for (StepRun run : StepRun.of(device.launches(), artifact.plan())) {
            double nanos = 0;
            for (int i = 0; i < run.launches().size(); i++) {
                nanos += costs.get(run.first() + i).nanos().orElse(0) + model.launchNanos();
            }
            double bytes = run.steps().stream()
                    .mapToDouble(step -> step.body().bytes())
                    .sum();
            for (KernelStep step : run.steps()) {
                if (computes(step.body())) {
                    KernelWork work = KernelWork.of(step.body());
                    double share = bytes == 0 ? 1.0 / run.steps().size() : work.bytes() / bytes;
                    kernels.merge(
                            work.signature().key(),
                            new Runs(work, run.times(), run.times() * nanos * share),
                            Runs::plus);
                }
            }
        }
        List<KernelTime> times = new ArrayList<>();
        kernels.values().forEach(runs -> times.add(runs.mean()));
        DeviceSpec rates =
                Architecture.ofLabel(device.architecture()).orElseThrow().device();
        return new KernelProfile(device.architecture(), rates, Optional.of(model.name()), times);
    }

    private static boolean computes(KernelBody body) {
        return !body.instructions().stream().allMatch(instruction -> instruction.op() instanceof Literal);
    }
}
