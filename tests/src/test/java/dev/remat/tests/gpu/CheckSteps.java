package dev.remat.tests.gpu;

import dev.remat.ir.TensorType;
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
import dev.remat.tests.gpu.StepWitnesses.Result;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.TensorBytes;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Predicate;

/**
 * Trains a few steps by plans of one model at several budgets: losses and state as near the recorded ones as {@link
 * StepWitnesses} say, and the same bits whatever the plan, and again; memory as the plan says, by the driver's own
 * count too.
 */
final class CheckSteps {
    /** What code and the driver may take beside the arena. */
    private static final long BESIDE_ARENA = 512L << 20;

    /** Of what other roundings do to a result, which may be little by chance. */
    private static final double SENSITIVITY = 4;

    /** So much larger may be what is rounding alone: the order of sums decides its size, in moments its square. */
    private static final double NOISE = 25;

    private static final int NAMED = 3;

    private final Gpu gpu;
    private final RecordingFile recording;
    private final List<String> problems = new ArrayList<>();
    private final double tolerance;
    private final SequencedMap<String, Distance> distances = new LinkedHashMap<>();

    private CheckSteps(Gpu gpu, RecordingFile recording, double tolerance) {
        this.gpu = gpu;
        this.recording = recording;
        this.tolerance = tolerance;
    }

    /**
     * How far a result is from the recorded one.
     *
     * @param relative of the norm of that one
     * @param bound that it may be off; from 1 on, the result is rounding alone
     */
    record Distance(String name, double relative, double bound) {
        double share() {
            return relative / bound;
        }

        boolean isNoise() {
            return bound >= 1;
        }
    }

    /**
     * What was found.
     *
     * @param problems what was not as it has to be, a line each
     * @param distances of losses, and of tensors of the state
     */
    record Findings(List<String> problems, List<Distance> distances) {
        /** The one that takes most of its bound. */
        Distance worst() {
            return distances.stream()
                    .max(Comparator.comparingDouble(Distance::share))
                    .orElseThrow();
        }
    }

    /**
     * Runs all plans.
     *
     * @param plans of one model, each with its code
     * @param tolerance what results may be off where rounding does not matter more
     */
    static Findings run(
            Gpu gpu, List<Artifact> plans, List<ArtifactCode> codes, RecordingFile recording, double tolerance)
            throws IOException {
        CheckSteps check = new CheckSteps(gpu, recording, tolerance);
        String first = check.train(plans.getFirst(), codes.getFirst());
        check.demand(
                check.train(plans.getFirst(), codes.getFirst()).equals(first), "the same plan gave other bits again");
        for (int i = 1; i < plans.size(); i++) {
            check.demand(
                    check.train(plans.get(i), codes.get(i)).equals(first),
                    "the plan of " + plans.get(i).plan().arenaBytes() + " bytes gave other bits than that of "
                            + plans.getFirst().plan().arenaBytes());
        }
        check.demandNear();
        return new Findings(check.problems, List.copyOf(check.distances.values()));
    }

    /** Names what is too far away, the farthest first. */
    private void demandNear() {
        List<Distance> far = distances.values().stream()
                .filter(distance -> !(distance.share() <= 1))
                .sorted(Comparator.comparingDouble(Distance::share).reversed())
                .toList();
        far.stream()
                .limit(NAMED)
                .map(it -> "%s is off the CPU's by %.2e, more than %.1e".formatted(it.name, it.relative, it.bound))
                .forEach(problems::add);
        if (far.size() > NAMED) {
            problems.add(far.size() - NAMED + " others of " + distances.size() + " results are off, too");
        }
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
            for (int step = 1; recording.has(StepWitnesses.LOSS + step); step++) {
                seen.clear();
                rounds.run(step);
                demandSame(batch, ShortRecording.BATCH + step + "/");
                compareLoss(plan, executable, step);
                compareState(plan, executable, step);
            }
            long taken = before - CudaDriver.load().freeBytes(gpu);
            demand(
                    taken <= plan.arenaBytes() + BESIDE_ARENA,
                    "the driver counts " + taken + " bytes for an arena of " + plan.arenaBytes());
            demand(
                    executable.highWaterBytes() == plan.arenaBytes(),
                    "kernels reached " + executable.highWaterBytes() + " bytes of an arena of " + plan.arenaBytes());
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
        PlanOutput output = plan.output(ExecutionPlan.LOSS);
        Tensor loss = decode(executable, output.offset(), output.type());
        compare(StepWitnesses.LOSS + step, new Result(Tensor.of(StepWitnesses.NUMBER, loss.data()), false));
    }

    private void compareState(ExecutionPlan plan, CudaExecutable executable, int step) {
        for (ArenaTensor input : plan.inputs()) {
            String name = StepWitnesses.after(step, input.name());
            if (input.kind().isPersistent() && recording.has(name)) {
                Tensor sample = ShortRecording.sample(decode(executable, input.offset(), input.type()));
                compare(name, new Result(sample, input.kind() == InputKind.PARAMETER));
            }
        }
    }

    private static Tensor decode(CudaExecutable executable, long offset, TensorType type) {
        return TensorBytes.decode(type, executable.read(offset, type.bytes()), 0);
    }

    private void compare(String name, Result found) {
        Tensor recorded = TensorBytes.decode(found.sample().type(), recording.get(name), 0);
        double relative = new Result(recorded, found.isParameter()).relative(found);
        double rounding = recording.get(StepWitnesses.ROUNDING + name).get(ValueLayout.JAVA_DOUBLE, 0);
        double near = Math.max(tolerance, SENSITIVITY * rounding);
        Distance distance = new Distance(name, relative, near < 1 ? near : NOISE * near);
        distances.merge(name, distance, (old, other) -> old.share() < other.share() ? other : old);
    }
}
