package dev.remat.tests.gpu;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.cli.trained.DescribeRun;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.RelocatePlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.checkpoint.RunFile;
import dev.remat.tests.cuda.RecordOps;
import dev.remat.tests.cuda.RecordSteps;
import dev.remat.tests.cuda.WriteArtifacts;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.OpSuite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Makes what {@link ProveOnGpu} runs, a folder for each case: artifacts numbered from 0 and, but for what is only
 * timed, what is to be found of what they gave on the CPU. What a case is for is what its name begins with.
 */
public final class MakeCases {
    static final String ARTIFACT = "artifact.";
    static final String RECORDING = "recording";
    /** Many operations, each by itself. */
    static final String OPS = "ops";
    /** A few training steps, by plans at several budgets. */
    static final String STEPS = "steps";
    /** Training steps at full size. */
    static final String SPEED = "speed";
    /** How products end on kernels that users must ask for, most of them on tensor cores. */
    static final String TENSOR = "tensor";

    private static final List<String> STRATEGIES = List.of("keep-all", "sqrt", "recursive");
    private static final List<DType> DTYPES = List.of(DType.F32, DType.BF16, DType.F16, DType.F64);

    private final Path root;
    private final Path folder;
    private final List<Architecture> architectures;
    private final Predicate<String> wanted;
    private final Consumer<String> progress;

    /**
     * @param root the project's folder
     * @param folder where the cases go
     * @param architectures all cases are for the first, most for the others too
     * @param wanted which cases are made, by their names
     * @param progress is told what is being done
     */
    public MakeCases(
            Path root,
            Path folder,
            List<Architecture> architectures,
            Predicate<String> wanted,
            Consumer<String> progress) {
        this.root = root;
        this.folder = folder;
        this.architectures = List.copyOf(architectures);
        this.wanted = wanted;
        this.progress = progress;
    }

    private interface Make {
        void run() throws IOException;
    }

    /** Makes all cases. */
    public void run() throws IOException {
        SequencedMap<String, Make> cases = new LinkedHashMap<>();
        for (DType dtype : DTYPES) {
            for (OpSuite suite : suites(dtype)) {
                cases.put(
                        OPS + "-" + dtype.label() + "-" + suite.label(),
                        () -> with(isCommon(dtype) ? architectures : architectures.subList(0, 1))
                                .ops(dtype, suite));
            }
        }
        for (String line : Files.readAllLines(root.resolve("tests/src/bundle/cases"))) {
            if (!line.startsWith("#")) {
                String[] words = line.strip().split(" +");
                Path model = root.resolve("samples/" + words[1] + ".model");
                cases.put(
                        words[0],
                        () -> with(words[5].equals("all") ? architectures : architectures.subList(0, 1))
                                .model(words[0], model, words[2], DType.ofLabel(words[3]), Integer.parseInt(words[4])));
            }
        }
        cases.keySet().removeIf(wanted.negate());
        int number = 0;
        for (Map.Entry<String, Make> each : cases.entrySet()) {
            number++;
            progress.accept("case " + number + " of " + cases.size() + ", " + each.getKey());
            each.getValue().run();
        }
    }

    private static boolean isCommon(DType dtype) {
        return dtype == DType.F32 || dtype == DType.BF16;
    }

    private MakeCases with(List<Architecture> others) {
        return new MakeCases(root, folder, others, wanted, progress);
    }

    /** Every operation in every dtype; kernels of f16 and f64 are instances of the texts that others run larger. */
    private static List<OpSuite> suites(DType dtype) {
        return switch (dtype) {
            case F16 -> List.of(OpSuite.EXAMPLES, OpSuite.ALIGNED);
            case F64 -> List.of(OpSuite.EXAMPLES);
            default -> List.of(OpSuite.values());
        };
    }

    /** Operations on the kernels that users get, and products on those that they must ask for. */
    void ops(DType dtype, OpSuite suite) throws IOException {
        String name = OPS + "-" + dtype.label() + "-" + suite.label();
        RecordOps usual = new RecordOps(suite.cases(dtype), architectures, CodegenOptions.DEFAULT);
        ops(name, usual);
        List<OpCase> products = suite.products(dtype);
        if (dtype != DType.F64 && !products.isEmpty()) {
            RecordOps asked = new RecordOps(products, architectures, new CodegenOptions(true, dtype == DType.F32));
            if (!usual.kernels().containsAll(asked.kernels())) {
                ops(name + "-" + TENSOR, asked);
            }
        }
    }

    private void ops(String name, RecordOps record) throws IOException {
        Path place = Files.createDirectories(folder.resolve(name));
        record.write(place.resolve(ARTIFACT + 0), progress);
        Artifact artifact = ArtifactReader.read(place.resolve(ARTIFACT + 0));
        for (Map.Entry<Architecture, SequencedMap<String, byte[]>> recorded :
                record.run().entrySet()) {
            String architecture = recorded.getKey().label();
            List<Set<String>> families = ArtifactCode.familiesOfSteps(artifact, artifact.device(architecture));
            Map<String, Set<String>> familiesOf = new HashMap<>();
            for (PlanOutput output : artifact.plan().outputs()) {
                familiesOf.put(output.name(), families.get(output.readyAfter()));
            }
            RecordingFile.write(
                    ShortRecording.ofOps(recorded.getValue(), result -> FamilyVerdicts.oweBits(familiesOf.get(result))),
                    recording(place, architecture));
        }
    }

    /** Where the recording of single operations is, whose bits depend on the architecture. */
    static Path recording(Path place, String architecture) {
        return place.resolve(RECORDING + "." + architecture);
    }

    void model(String name, Path model, String settings, DType precision, int microBatches) throws IOException {
        Path place = Files.createDirectories(folder.resolve(name));
        if (name.startsWith(SPEED)) {
            build(model, settings, precision, place.resolve(ARTIFACT + 0));
            return;
        }
        CudaTarget target = new CudaTarget(architectures);
        ElaboratedModel elaborated = RecordSteps.elaborate(model, settings, precision, microBatches);
        SequencedMap<Path, ExecutionPlan> plans = new LinkedHashMap<>();
        for (String strategy : STRATEGIES) {
            ExecutionPlan plan = new Compiler(target, new RooflineCost(target.device()))
                    .compile(elaborated, CompileOptions.defaults().withStrategy(strategy))
                    .plan();
            plans.put(
                    place.resolve(ARTIFACT + plans.size()),
                    RelocatePlan.run(plan, file -> Path.of(file).getFileName().toString()));
        }
        // As what users build has it, so that train takes it.
        SequencedMap<String, String> described = new LinkedHashMap<>();
        described.put(ArtifactFile.RUN, RunFile.print(DescribeRun.of(elaborated)));
        new WriteArtifacts(architectures, new CodegenOptions(true, false), progress).run(plans, described);
        Set<String> parameters = new TreeSet<>();
        for (ArenaTensor input : plans.firstEntry().getValue().inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                parameters.add(input.name());
            }
        }
        SequencedMap<String, byte[]> recorded = StepWitnesses.record(elaborated, precision, parameters);
        Path full = Files.createTempFile(folder, RECORDING, "");
        RecordSteps.run(elaborated, StepWitnesses.STEPS, full);
        try (RecordingFile drawn = new RecordingFile(full)) {
            recorded.putAll(ShortRecording.ofSteps(drawn));
        }
        Files.delete(full);
        RecordingFile.write(recorded, place.resolve(RECORDING));
    }

    /** Builds an artifact of a model as users do. */
    private void build(Path model, String settings, DType precision, Path place) throws IOException {
        List<String> words = new ArrayList<>(List.of("build", model.toString(), "--set", settings));
        words.addAll(List.of("--precision", precision.label(), "--strategy", "keep-all", "--allow-unverified"));
        words.addAll(List.of(
                "--arch",
                String.join(",", architectures.stream().map(Architecture::label).toList())));
        words.addAll(List.of("-o", place.toString()));
        Console console = new Console(System.out, System.err, false, false);
        int exit = RematCommand.run(console, words.toArray(String[]::new));
        if (exit != 0) {
            throw new IOException(String.join(" ", words) + ": ended with " + exit);
        }
    }
}
