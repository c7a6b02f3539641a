package dev.remat.tests.gpu;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.DType;
import dev.remat.tests.cuda.RecordOps;
import dev.remat.tests.cuda.RecordSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes what {@link ProveOnGpu} runs, a folder for each case: artifacts numbered from 0 and, but for what is only
 * timed, a recording of what they gave on the CPU. What a case is for is what its name begins with.
 */
public final class MakeCases {
    static final String ARTIFACT = "artifact.";
    static final String RECORDING = "recording";
    /** Every operation by itself. */
    static final String OPS = "ops";
    /** A few training steps, by plans at several budgets. */
    static final String STEPS = "steps";
    /** Training steps at full size. */
    static final String SPEED = "speed";

    private static final int RECORDED_STEPS = 4;
    private static final List<String> STRATEGIES = List.of("keep-all", "sqrt", "recursive");
    private static final List<DType> DTYPES = List.of(DType.F32, DType.BF16, DType.F16, DType.F64);

    private final Path root;
    private final Path folder;
    private final List<Architecture> architectures;

    /**
     * @param root the project's folder
     * @param folder where the cases go
     */
    public MakeCases(Path root, Path folder, List<Architecture> architectures) {
        this.root = root;
        this.folder = folder;
        this.architectures = architectures;
    }

    /** Makes all cases. */
    public void run() throws IOException {
        for (Architecture architecture : architectures) {
            for (DType dtype : DTYPES) {
                ops(dtype, architecture, false);
                if (dtype != DType.F64) {
                    ops(dtype, architecture, true);
                }
            }
        }
        for (String line : Files.readAllLines(root.resolve("tests/src/bundle/cases"))) {
            if (!line.startsWith("#")) {
                String[] words = line.strip().split(" +");
                Path model = root.resolve("samples/" + words[1] + ".model");
                model(words[0], model, words[2], words[3], Integer.parseInt(words[4]));
            }
        }
    }

    void ops(DType dtype, Architecture architecture, boolean tensorCores) throws IOException {
        Path place =
                folder.resolve(OPS + "-" + dtype.label() + "-" + architecture.label() + (tensorCores ? "-tensor" : ""));
        RecordOps.run(dtype, architecture, tensorCores, place.resolve(ARTIFACT + 0), place.resolve(RECORDING));
    }

    void model(String name, Path model, String settings, String precision, int microBatches) throws IOException {
        Path place = Files.createDirectories(folder.resolve(name));
        boolean isTimed = name.startsWith(SPEED);
        List<String> strategies = isTimed ? STRATEGIES.subList(0, 1) : STRATEGIES;
        for (int i = 0; i < strategies.size(); i++) {
            build(model, settings, precision, microBatches, strategies.get(i), place.resolve(ARTIFACT + i));
        }
        if (!isTimed) {
            RecordSteps.run(
                    model, settings, DType.ofLabel(precision), microBatches, RECORDED_STEPS, place.resolve(RECORDING));
        }
    }

    private void build(Path model, String settings, String precision, int microBatches, String strategy, Path place)
            throws IOException {
        List<String> words = new ArrayList<>(List.of("build", model.toString(), "--set", settings));
        words.addAll(List.of("--precision", precision, "--strategy", strategy, "--allow-unverified"));
        words.addAll(List.of("--micro-batches", Integer.toString(microBatches)));
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
