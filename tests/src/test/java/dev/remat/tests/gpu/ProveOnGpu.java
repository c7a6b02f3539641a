package dev.remat.tests.gpu;

import dev.remat.ir.DType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.cuda.DeviceMemoryException;
import dev.remat.runtime.cuda.Gpu;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.OpSuite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs all cases of a bundle on the GPU at hand: {@code ProveOnGpu CASES [VERIFIED]} prints a table, writes the
 * families that have passed to the file {@code VERIFIED}, and ends with 0 if everything was as it has to be, with 1 if
 * not, with 5 if there is no GPU to run on. What would take longer than eight minutes in all is left out, which the
 * table tells. {@code ProveOnGpu CASES --only NAME,…} runs these cases and nothing else. {@link MakeCases} tells what a
 * case is.
 */
final class ProveOnGpu {
    private static final int NO_DEVICE = 5;
    private static final int USAGE = 2;
    private static final int TIMED_STEPS = 20;
    private static final int COMPARED_STEPS = 10;
    private static final Duration ALL = Duration.ofMinutes(8);
    private static final Duration OF_SANITIZER = Duration.ofSeconds(90);
    private static final Duration OF_TORCH = Duration.ofSeconds(75);
    private static final Duration OF_A_CASE = Duration.ofSeconds(15);
    /** What steps on a GPU may be off the CPU's, whose sums have another order, where errors do not grow. */
    private static final double TOLERANCE = 1e-4;

    private static final double BF16_TOLERANCE = 1e-2;

    private final Path cases;
    private final Deadline deadline = Deadline.in(ALL);
    private final Gpu gpu;
    private final GpuReport report;
    private final FamilyVerdicts verdicts = new FamilyVerdicts();
    private final Optional<Nvml> sensors;
    private final SequencedMap<String, Loaded> speeds = new LinkedHashMap<>();

    /** An artifact and what it has for this GPU. */
    private record Loaded(Artifact artifact, ArtifactCode code) {}

    private ProveOnGpu(Path cases, Gpu gpu) {
        this.cases = cases;
        this.gpu = gpu;
        this.report = new GpuReport(gpu);
        this.sensors = Nvml.open(gpu.ordinal());
    }

    public static void main(String[] args) throws IOException {
        System.exit(run(args));
    }

    private static int run(String[] args) throws IOException {
        boolean isOnly = args.length == 3 && args[1].equals("--only");
        if (args.length == 0 || args.length > 2 && !isOnly || args.length == 2 && args[1].startsWith("-")) {
            System.err.println("usage: tests/gpu [FILE | --only CASE,…]");
            return USAGE;
        }
        try {
            ProveOnGpu proof =
                    new ProveOnGpu(Path.of(args[0]), CudaDriver.load().gpu(0));
            if (isOnly) {
                proof.runCases(Set.of(args[2].split(",")));
            } else {
                proof.runAll();
            }
            proof.report.print(proof.verdicts, System.out);
            if (args.length == 2) {
                proof.report.write(proof.verdicts, Path.of(args[1]));
            }
            return proof.report.isWithoutProblem() && proof.verdicts.areAllVerified() ? 0 : 1;
        } catch (DeviceException | LibraryUnavailableException e) {
            System.err.println("gpu: " + e.getMessage());
            return NO_DEVICE;
        }
    }

    private void runAll() throws IOException {
        sensors.ifPresentOrElse(
                nvml -> report.other("sensors", "before", nvml.read().toString()),
                () -> report.leftOut("sensors", "there is no libnvidia-ml.so.1"));
        report.card(CardSpeed.of(gpu));
        runCases(Set.of());
        sanitize();
        compare();
        sensors.ifPresent(nvml -> report.other("sensors", "after", nvml.read().toString()));
    }

    /** @param only the names of the cases; all if there are none */
    private void runCases(Set<String> only) throws IOException {
        try (Stream<Path> folders = Files.list(cases)) {
            for (Path folder : folders.sorted().toList()) {
                String name = folder.getFileName().toString();
                if (only.isEmpty() || only.contains(name)) {
                    run(name, folder);
                }
            }
        }
    }

    private void run(String name, Path folder) throws IOException {
        if (!deadline.hasLeft(OF_A_CASE)) {
            report.leftOut(name, "no time was left");
            return;
        }
        List<Loaded> loaded = new ArrayList<>();
        for (int i = 0; Files.exists(folder.resolve(MakeCases.ARTIFACT + i)); i++) {
            Artifact artifact = ArtifactReader.read(folder.resolve(MakeCases.ARTIFACT + i));
            Optional<ArtifactCode> code = ArtifactCode.of(artifact, gpu);
            if (code.isEmpty()) {
                report.leftOut(
                        name,
                        "was built for " + String.join(", ", artifact.manifest().architectures()));
                return;
            }
            loaded.add(new Loaded(artifact, code.get()));
        }
        System.err.println("gpu: " + name);
        try {
            run(name, folder, loaded);
        } catch (DeviceMemoryException e) {
            report.leftOut(name, e.getMessage());
        } catch (DeviceException e) {
            report.problem(name, e.getMessage());
        }
    }

    private void run(String name, Path folder, List<Loaded> loaded) throws IOException {
        Loaded first = loaded.getFirst();
        switch (name.substring(0, name.indexOf('-'))) {
            case MakeCases.OPS -> {
                String architecture = first.code.architecture();
                try (RecordingFile recording = new RecordingFile(MakeCases.recording(folder, architecture))) {
                    CheckOps.run(operations(name), first.artifact, first.code, recording, verdicts)
                            .forEach(problem -> report.problem(name, problem));
                }
            }
            case MakeCases.STEPS -> {
                try (RecordingFile recording = new RecordingFile(folder.resolve(MakeCases.RECORDING))) {
                    double tolerance = name.endsWith("bf16") ? BF16_TOLERANCE : TOLERANCE;
                    report.steps(
                            name,
                            CheckSteps.run(
                                    gpu,
                                    loaded.stream().map(Loaded::artifact).toList(),
                                    loaded.stream().map(Loaded::code).toList(),
                                    recording,
                                    tolerance),
                            loaded.size());
                }
            }
            case MakeCases.SPEED -> {
                report.speed(name, MeasureSpeed.run(first.artifact, first.code, TIMED_STEPS, sensors));
                speeds.put(name, first);
            }
            default -> throw new IOException(folder + ": is no case");
        }
    }

    /** The operations that a case is made of, by its name. */
    private static List<OpCase> operations(String name) throws IOException {
        String[] words = name.split("-");
        DType dtype = DType.ofLabel(words[1]);
        OpSuite suite = OpSuite.ofLabel(words[2]).orElseThrow(() -> new IOException(name + ": is no case"));
        return name.endsWith(MakeCases.TENSOR) ? suite.products(dtype) : suite.cases(dtype);
    }

    private void sanitize() throws IOException {
        Optional<Path> sanitizer = Sanitizer.find();
        if (sanitizer.isEmpty()) {
            report.leftOut("sanitizer", "compute-sanitizer is neither on the PATH nor below /usr/local");
        } else if (!deadline.hasLeft(OF_SANITIZER)) {
            report.leftOut("sanitizer", "no time was left");
        } else {
            System.err.println("gpu: small cases under " + sanitizer.get());
            List<String> found = Sanitizer.run(sanitizer.get(), cases, OF_SANITIZER);
            report.other(
                    "sanitizer",
                    found.isEmpty() ? "ok" : "FAILED",
                    sanitizer.get().toString());
            found.forEach(line -> report.problem("sanitizer", line));
        }
    }

    /** Our steps and PyTorch's in turns, which never are in memory together. */
    private void compare() throws IOException {
        if (speeds.isEmpty()) {
            report.leftOut("PyTorch", "none of our steps was timed");
            return;
        }
        Optional<TorchSteps> torch = TorchSteps.find(cases);
        if (torch.isEmpty()) {
            report.leftOut("PyTorch", "there is no python3 on the PATH whose PyTorch uses this GPU");
            return;
        }
        for (Map.Entry<String, Loaded> speed : speeds.entrySet()) {
            double before = MeasureSpeed.median(speed.getValue().code, COMPARED_STEPS);
            for (boolean compiled : new boolean[] {false, true}) {
                String by = compiled ? "PyTorch, compiled" : "PyTorch, eager";
                Duration time = deadline.left().compareTo(OF_TORCH) < 0 ? deadline.left() : OF_TORCH;
                System.err.println("gpu: " + speed.getKey() + " in " + by);
                Optional<Double> theirs = torch.get().run(speed.getValue().artifact, compiled, time);
                double after = MeasureSpeed.median(speed.getValue().code, COMPARED_STEPS);
                theirs.ifPresentOrElse(
                        millis -> report.compared(speed.getKey(), by, (before + after) / 2, millis),
                        () -> report.leftOut(speed.getKey(), by + " has failed, or took longer than its time"));
            }
        }
    }
}
