package dev.remat.tests.gpu;

import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.cuda.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs all cases of a bundle on the GPU at hand: {@code ProveOnGpu CASES [VERIFIED]} prints a table, writes the
 * families that have passed to the file {@code VERIFIED}, and ends with 0 if everything was as it has to be, with 1 if
 * not, with 5 if there is no GPU to run on. {@link MakeCases} tells what a case is.
 */
final class ProveOnGpu {
    private static final int NO_DEVICE = 5;
    private static final int TIMED_STEPS = 20;
    /** What a step on a GPU may be off the CPU's, whose sums have another order. */
    private static final double TOLERANCE = 1e-3;

    private static final double BF16_TOLERANCE = 5e-2;

    private final Gpu gpu;
    private final GpuReport report;
    private final FamilyVerdicts verdicts = new FamilyVerdicts();

    private ProveOnGpu(Gpu gpu) {
        this.gpu = gpu;
        this.report = new GpuReport(gpu);
    }

    public static void main(String[] args) throws IOException {
        System.exit(run(args));
    }

    private static int run(String[] args) throws IOException {
        try {
            ProveOnGpu proof = new ProveOnGpu(CudaDriver.load().gpu(0));
            try (Stream<Path> folders = Files.list(Path.of(args[0]))) {
                for (Path folder : folders.sorted().toList()) {
                    proof.run(folder);
                }
            }
            proof.report.print(proof.verdicts, System.out);
            if (args.length > 1) {
                proof.report.write(proof.verdicts, Path.of(args[1]));
            }
            return proof.report.isWithoutProblem() && proof.verdicts.areAllVerified() ? 0 : 1;
        } catch (DeviceException | LibraryUnavailableException e) {
            System.err.println("gpu: " + e.getMessage());
            return NO_DEVICE;
        }
    }

    private void run(Path folder) throws IOException {
        String name = folder.getFileName().toString();
        List<Artifact> artifacts = new ArrayList<>();
        List<ArtifactCode> codes = new ArrayList<>();
        for (int i = 0; Files.exists(folder.resolve(MakeCases.ARTIFACT + i)); i++) {
            Artifact artifact = ArtifactReader.read(folder.resolve(MakeCases.ARTIFACT + i));
            Optional<ArtifactCode> code = ArtifactCode.of(artifact, gpu);
            if (code.isEmpty()) {
                return;
            }
            artifacts.add(artifact);
            codes.add(code.get());
        }
        System.err.println("gpu: " + name);
        try {
            switch (name.substring(0, name.indexOf('-'))) {
                case MakeCases.OPS -> {
                    try (RecordingFile recording = new RecordingFile(folder.resolve(MakeCases.RECORDING))) {
                        CheckOps.run(artifacts.getFirst(), codes.getFirst(), recording, verdicts)
                                .forEach(problem -> report.problem(name, problem));
                    }
                }
                case MakeCases.STEPS -> {
                    try (RecordingFile recording = new RecordingFile(folder.resolve(MakeCases.RECORDING))) {
                        double tolerance = name.endsWith("bf16") ? BF16_TOLERANCE : TOLERANCE;
                        report.steps(
                                name, CheckSteps.run(gpu, artifacts, codes, recording, tolerance), artifacts.size());
                    }
                }
                case MakeCases.SPEED ->
                    report.speed(name, MeasureSpeed.run(artifacts.getFirst(), codes.getFirst(), TIMED_STEPS));
                default -> throw new IOException(folder + ": is no case");
            }
        } catch (DeviceException e) {
            report.problem(name, e.getMessage());
        }
    }
}
