package dev.remat.tests.gpu;

import dev.remat.ir.DType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.CudaExecutable;
import dev.remat.runtime.cuda.Gpu;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Rounds;
import dev.remat.runtime.train.TrainingState;
import dev.remat.tests.steps.TensorBytes;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;

/**
 * Trains a few steps by plans of one model at several budgets: losses and the state at the end near the recorded ones,
 * and the same bits whatever the plan, and again; memory as the plan says, by the driver's own count too.
 */
final class CheckSteps {
    /** What code and the driver may take beside the arena. */
    private static final long BESIDE_ARENA = 512L << 20;

    private final Gpu gpu;
    private final RecordingFile recording;
    private final List<String> problems = new ArrayList<>();
    private double worst;

    private CheckSteps(Gpu gpu, RecordingFile recording) {
        this.gpu = gpu;
        this.recording = recording;
    }

    /**
     * What was found.
     *
     * @param problems what was not as it has to be, a line each
     * @param worst the largest relative difference of a loss or a tensor from the recorded one
     */
    record Findings(List<String> problems, double worst) {}

    /** @param plans of one model, each with its code */
    static Findings run(
            Gpu gpu, List<Artifact> plans, List<ArtifactCode> codes, RecordingFile recording, double tolerance)
            throws IOException {
        CheckSteps check = new CheckSteps(gpu, recording);
        String first = check.train(plans.getFirst(), codes.getFirst());
        check.demand(
                check.train(plans.getFirst(), codes.getFirst()).equals(first), "the same plan gave other bits again");
        for (int i = 1; i < plans.size(); i++) {
            check.demand(
                    check.train(plans.get(i), codes.get(i)).equals(first),
                    "the plan of " + plans.get(i).plan().arenaBytes() + " bytes gave other bits than that of "
                            + plans.getFirst().plan().arenaBytes());
        }
        check.demand(
                check.worst <= tolerance, "results are off by %.2e, more than %.0e".formatted(check.worst, tolerance));
        return new Findings(check.problems, check.worst);
    }

    private void demand(boolean holds, String problem) {
        if (!holds) {
            problems.add(problem);
        }
    }

    /** @return the hash of the state after the last step */
    private String train(Artifact artifact, ArtifactCode code) throws IOException {
        ExecutionPlan plan = artifact.plan();
        long before = CudaDriver.load().freeBytes(gpu);
        String hash;
        try (CudaExecutable executable = code.load();
                SyntheticDataset data = new SyntheticDataset()) {
            initialize(executable);
            InputFeed feed = new InputFeed(executable, data.training(InputFeed.specs(plan), plan.seed()));
            Fingerprint batch = new Fingerprint();
            BitSet seen = new BitSet();
            Rounds rounds = new Rounds(executable, (step, microBatch) -> {
                feed.feed((step - 1) * plan.microBatches() + microBatch, step, microBatch);
                if (!seen.get(microBatch)) {
                    // Several sections may read the same rows.
                    seen.set(microBatch);
                    take(batch, executable, InputKind.DATA::equals);
                }
            });
            for (int step = 1; recording.has(ShortRecording.LOSS + step); step++) {
                seen.clear();
                rounds.run(step);
                demandSame(batch, ShortRecording.BATCH + step + "/");
                compareLoss(plan, executable, step);
            }
            long taken = before - CudaDriver.load().freeBytes(gpu);
            demand(
                    taken <= plan.arenaBytes() + BESIDE_ARENA,
                    "the driver counts " + taken + " bytes for an arena of " + plan.arenaBytes());
            demand(
                    executable.highWaterBytes() == plan.arenaBytes(),
                    "kernels reached " + executable.highWaterBytes() + " bytes of an arena of " + plan.arenaBytes());
            compareState(plan, executable);
            hash = new TrainingState(executable).hash();
        }
        long after = CudaDriver.load().freeBytes(gpu);
        demand(after >= before - BESIDE_ARENA, (before - after) + " bytes were not given back");
        return hash;
    }

    private void initialize(CudaExecutable executable) {
        new TrainingState(executable).initialize();
        Fingerprint initial = new Fingerprint();
        take(initial, executable, InputKind::isPersistent);
        demandSame(initial, ShortRecording.INITIAL);
    }

    private static void take(Fingerprint fingerprint, CudaExecutable executable, Predicate<InputKind> which) {
        for (ArenaTensor input : executable.plan().inputs()) {
            if (which.test(input.kind())) {
                fingerprint.add(
                        input.name(),
                        executable.read(input.offset(), input.type().bytes()));
            }
        }
    }

    /** What is drawn anew must be what was recorded, else the rest tells nothing. */
    private void demandSame(Fingerprint drawn, String group) {
        demand(
                Arrays.equals(drawn.end(), recording.bytes(ShortRecording.HASH + group)),
                group + " is not what was recorded");
    }

    private void compareLoss(ExecutionPlan plan, CudaExecutable executable, int step) {
        double want = recording.get(ShortRecording.LOSS + step).get(ValueLayout.JAVA_DOUBLE, 0);
        PlanOutput output = plan.output(ExecutionPlan.LOSS);
        MemorySegment bytes = executable.read(output.offset(), output.type().bytes());
        double got = TensorBytes.decode(output.type(), bytes, 0).data()[0];
        take(Math.abs(got - want) / Math.max(Math.abs(want), Double.MIN_NORMAL));
    }

    private void compareState(ExecutionPlan plan, CudaExecutable executable) {
        for (ArenaTensor input : plan.inputs()) {
            if (input.kind() == InputKind.PARAMETER && input.type().dtype() != DType.BOOL) {
                MemorySegment found =
                        executable.read(input.offset(), input.type().bytes());
                take(Nearness.of(
                                ShortRecording.sampled(input.type()),
                                recording.get(ShortRecording.FINAL + input.name()),
                                ShortRecording.sample(input.type(), found))
                        .relative());
            }
        }
    }

    private void take(double relative) {
        worst = Double.isNaN(relative) ? Double.POSITIVE_INFINITY : Math.max(worst, relative);
    }
}
