package dev.remat.tests.gpu;

import dev.remat.codegen.cuda.predict.RunCost;
import dev.remat.codegen.cuda.predict.StepCosts;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.runtime.cuda.CudaExecutable;
import dev.remat.runtime.cuda.CudaProgram;
import dev.remat.runtime.cuda.Gpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What an artifact has for one GPU. */
final class ArtifactCode {
    private final Artifact artifact;
    private final Gpu gpu;
    private final DeviceCode code;

    private ArtifactCode(Artifact artifact, Gpu gpu, DeviceCode code) {
        this.artifact = artifact;
        this.gpu = gpu;
        this.code = code;
    }

    /** Nothing where the artifact was built for other GPUs. */
    static Optional<ArtifactCode> of(Artifact artifact, Gpu gpu) {
        return gpu.best(artifact.manifest().architectures())
                .map(architecture -> new ArtifactCode(artifact, gpu, artifact.device(architecture)));
    }

    CudaExecutable load() {
        CudaProgram program =
                CudaProgram.of(artifact.manifest().build(), artifact.manifest().kernels(), code);
        return CudaExecutable.load(
                artifact.plan(),
                (_, _) -> program,
                gpu,
                CudaExecutable.Options.ofProcess(false, note -> System.err.println("note: " + note)));
    }

    /** What the cost model says that a step takes, in milliseconds; nothing where it knows no such GPU. */
    Optional<Double> predictedMillis() {
        StepCosts costs = StepCosts.of(artifact, code);
        return costs.model().map(_ -> costs.millis());
    }

    /** What its launches cost by the cost model. */
    List<RunCost> runs() {
        return StepCosts.runs(artifact, code);
    }

    /** The families whose kernels a step launches, for every step of the plan. */
    List<Set<String>> familiesOfSteps() {
        return familiesOfSteps(artifact, code);
    }

    /** The same without a GPU. */
    static List<Set<String>> familiesOfSteps(Artifact artifact, DeviceCode code) {
        List<Set<String>> families = new ArrayList<>();
        artifact.plan().steps().forEach(_ -> families.add(new TreeSet<>()));
        for (Launch launch : code.launches()) {
            KernelEntry kernel =
                    artifact.manifest().kernels().get(launch.kernel()).entry();
            families.get(launch.step()).add(kernel.family());
        }
        return families;
    }

    /** The one of the artifact's architectures that runs. */
    String architecture() {
        return code.architecture();
    }
}
