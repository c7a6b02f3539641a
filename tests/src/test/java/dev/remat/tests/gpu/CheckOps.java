package dev.remat.tests.gpu;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.cuda.CudaExecutable;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.CombinedSteps;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Holds single operations, many in one plan, against their recording: each result, family by family. */
final class CheckOps {
    private static final int FLOPS_OF_A_TERM = 2;
    /** As {@link CombinedSteps} names results. */
    private static final Pattern RESULT = Pattern.compile("case\\.([0-9]+)\\.result\\..*");

    private final List<OpCase> cases;
    private final Artifact artifact;
    private final RecordingFile recording;
    private final List<String> problems = new ArrayList<>();

    private CheckOps(List<OpCase> cases, Artifact artifact, RecordingFile recording) {
        this.cases = cases;
        this.artifact = artifact;
        this.recording = recording;
    }

    /**
     * Runs all operations.
     *
     * @param cases what the artifact was made of
     * @return what was not as it has to be, a line each
     */
    static List<String> run(
            List<OpCase> cases,
            Artifact artifact,
            ArtifactCode code,
            RecordingFile recording,
            FamilyVerdicts verdicts) {
        CheckOps check = new CheckOps(cases, artifact, recording);
        try (CudaExecutable gpu = code.load()) {
            check.load(gpu);
            gpu.run(1);
            check.results(gpu, code.familiesOfSteps(), verdicts);
        }
        return check.problems;
    }

    /** Brings the operands, which are drawn as they were where the kernels were recorded. */
    private void load(CudaExecutable gpu) {
        List<Architecture> architectures = artifact.manifest().architectures().stream()
                .map(label -> Architecture.ofLabel(label).orElseThrow())
                .toList();
        CombinedSteps combined = CombinedSteps.of(cases, new CudaTarget(architectures));
        ExecutionPlan plan = artifact.plan();
        Fingerprint operands = new Fingerprint();
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment arena =
                    owner.allocate(Math.max(plan.arenaBytes(), combined.plan().arenaBytes()), 256);
            combined.load(arena);
            for (ArenaTensor input : plan.inputs()) {
                if (!input.kind().isOfStep()) {
                    MemorySegment bytes =
                            arena.asSlice(input.offset(), input.type().bytes());
                    operands.add(ShortRecording.INITIAL + input.name(), bytes);
                    gpu.write(input.offset(), bytes);
                }
            }
        }
        if (!Arrays.equals(operands.end(), recording.bytes(ShortRecording.HASH + ShortRecording.INITIAL))) {
            problems.add("the operands are not those that were recorded");
        }
    }

    private void results(CudaExecutable gpu, List<Set<String>> families, FamilyVerdicts verdicts) {
        int resultOfCase = 0;
        int last = -1;
        for (PlanOutput output : artifact.plan().outputs()) {
            Matcher name = RESULT.matcher(output.name());
            if (!name.matches()) {
                continue;
            }
            int number = Integer.parseInt(name.group(1));
            resultOfCase = number == last ? resultOfCase + 1 : 0;
            last = number;
            Set<String> those = families.get(output.readyAfter());
            MemorySegment found = gpu.read(output.offset(), output.type().bytes());
            int index = resultOfCase;
            Nearness nearness = nearness(output, those, found, () -> reference(output, number, index));
            double bound = bound(output);
            verdicts.add(those, nearness, bound);
            if (FamilyVerdicts.oweBits(those) ? !nearness.isEqual() : nearness.relative() > bound) {
                problems.add("%s of %s: %s, by %.2e of its norm"
                        .formatted(
                                output.name(),
                                String.join(", ", those),
                                FamilyVerdicts.oweBits(those)
                                        ? "other bits than were recorded; off the reference"
                                        : "%d of %d elements are off what was recorded"
                                                .formatted(nearness.different(), nearness.elements()),
                                nearness.relative()));
            }
        }
    }

    /** To the recording, or, where that has only a hash and another one, to the reference. */
    private Nearness nearness(
            PlanOutput output, Set<String> families, MemorySegment found, Supplier<MemorySegment> reference) {
        String name = ShortRecording.FINAL + output.name();
        if (!FamilyVerdicts.oweBits(families)) {
            return Nearness.of(output.type(), recording.get(name), found);
        }
        return Arrays.equals(Fingerprint.of(found), recording.bytes(ShortRecording.HASH + name))
                ? Nearness.ofEqual(output.type())
                : Nearness.of(output.type(), reference.get(), found).withOtherBits();
    }

    /** What should be there but for rounding, to tell by how much it is not. */
    private MemorySegment reference(PlanOutput output, int number, int result) {
        Tensor expected = cases.get(number).expected().get(result);
        TensorType type = output.type();
        MemorySegment bytes = MemorySegment.ofArray(new long[Math.toIntExact(type.bytes() / Long.BYTES + 1)]);
        if (expected.type().elements() == type.elements()) {
            TensorBytes.encode(expected, bytes, 0);
        }
        return bytes.asSlice(0, type.bytes());
    }

    private double bound(PlanOutput output) {
        KernelBody body = artifact.plan().steps().get(output.readyAfter()).body();
        double terms =
                (double) body.flops() / FLOPS_OF_A_TERM / Math.max(output.type().elements(), 1);
        return Nearness.bound(output.type().dtype(), Math.max(terms, 1));
    }
}
