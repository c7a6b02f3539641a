package dev.remat.tests.bundle;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.natives.NativeLibraries;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.tests.gpu.MakeCases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Lays out and packs what runs artifacts on a machine that has neither Java nor a network. {@code MakeBundle ROOT
 * FOLDER ARCHIVE SM,… CASES} makes {@code FOLDER} from what is built below the project's {@code ROOT}, with those tests
 * of a GPU whose names match the expression {@code CASES}, for these architectures, then {@code ARCHIVE} of it. It has
 * a Java runtime, the jars of the class path, a launcher, samples, and the tests of a GPU. Of
 * native libraries it has those alone that train; so it neither compiles kernels nor solves planning problems by
 * constraints.
 */
final class MakeBundle {
    /** Where cases are in a bundle. */
    static final String CASES = "tests/cases";

    private static final double BYTES_OF_MEGABYTE = 1e6;

    private final Path root;
    private final Path folder;

    private final List<Architecture> architectures;
    private final Predicate<String> cases;

    private MakeBundle(Path root, Path folder, List<Architecture> architectures, Predicate<String> cases) {
        this.root = root;
        this.folder = folder;
        this.architectures = architectures;
        this.cases = cases;
    }

    public static void main(String[] args) throws IOException {
        List<Architecture> architectures = Arrays.stream(args[3].split(","))
                .map(label -> Architecture.ofLabel(label).orElseThrow())
                .toList();
        Path folder = Path.of(args[1]);
        new MakeBundle(
                        Path.of(args[0]),
                        folder,
                        architectures,
                        Pattern.compile(args[4]).asMatchPredicate())
                .run();
        Path archive = Path.of(args[2]);
        PackBundle.run(folder, archive);
        System.out.printf("%s: %.1f MB%n", archive, Files.size(archive) / BYTES_OF_MEGABYTE);
    }

    private void run() throws IOException {
        deleteAll(folder);
        Files.createDirectories(folder.resolve("jars"));
        LinkJava.run(folder.resolve("java"));
        Set<String> natives = new TreeSet<>();
        for (NativeLibraries libraries : CpuExecutable.libraries()) {
            natives.addAll(libraries.resources());
        }
        for (NativeLibraries libraries : CudaDriver.libraries()) {
            natives.addAll(libraries.resources());
        }
        for (Path jar : classPath()) {
            RepackJar.run(jar, natives, folder.resolve("jars"));
        }
        Files.copy(root.resolve("tests/src/bundle/remat"), folder.resolve("remat"));
        for (String file : List.of("cli/java.options", "cli/memory.sh", "LICENSE")) {
            Files.copy(root.resolve(file), folder.resolve(Path.of(file).getFileName()));
        }
        Path samples = Files.createDirectory(folder.resolve("samples"));
        try (Stream<Path> models = Files.list(root.resolve("samples"))) {
            for (Path model :
                    models.filter(file -> file.toString().endsWith(".model")).toList()) {
                Files.copy(model, samples.resolve(model.getFileName()));
            }
        }
        Path tests = Files.createDirectory(folder.resolve("tests"));
        Files.copy(root.resolve("tests/src/bundle/gpu"), tests.resolve("gpu"));
        Files.copy(root.resolve("tests/benchmarks/torch_step.py"), tests.resolve("torch_step.py"));
        packTests(tests.resolve("gpu.jar"));
        try (Progress progress = new Progress(Console.ofProcess())) {
            new MakeCases(root, folder.resolve(CASES), architectures, cases, progress::tell).run();
        }
    }

    /** What runs the cases, without JUnit and what makes them. */
    private void packTests(Path jar) {
        List<String> words = new ArrayList<>(List.of("--create", "--no-compress", "--no-manifest", "--file"));
        words.add(jar.toString());
        words.add("--date=1980-01-01T00:00:02Z");
        for (String name : List.of("gpu", "steps", "reference")) {
            words.addAll(
                    List.of("-C", root.resolve("tests/target/test-classes").toString(), "dev/remat/tests/" + name));
        }
        Tool.run(ToolProvider.findFirst("jar").orElseThrow(), words);
    }

    private List<Path> classPath() throws IOException {
        List<Path> jars = new ArrayList<>();
        try (Stream<Path> built = Files.list(root.resolve("cli/target"))) {
            built.filter(file -> file.getFileName().toString().matches("remat-cli-.*\\.jar"))
                    .forEach(jars::add);
        }
        for (String jar :
                Files.readString(root.resolve("cli/target/classpath")).strip().split(":")) {
            jars.add(Path.of(jar));
        }
        return jars;
    }

    private static void deleteAll(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
