package dev.remat.tests.bundle;

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
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Lays out what runs artifacts on a machine that has neither Java nor a network. {@code MakeBundle ROOT FOLDER SM,…}
 * makes {@code FOLDER} from what is built below the project's {@code ROOT}, for these architectures. It holds a Java
 * runtime of the modules that remat needs, the jars of the class path, a launcher, and the tests of a GPU. Of native
 * libraries it has those alone that train; so it neither compiles kernels nor solves planning problems by constraints.
 */
final class MakeBundle {
    private static final String MODULES = "java.base,java.desktop,java.logging,java.xml,jdk.unsupported";

    private final Path root;
    private final Path folder;

    private final List<Architecture> architectures;

    private MakeBundle(Path root, Path folder, List<Architecture> architectures) {
        this.root = root;
        this.folder = folder;
        this.architectures = architectures;
    }

    public static void main(String[] args) throws IOException {
        List<Architecture> architectures = Arrays.stream(args[2].split(","))
                .map(label -> Architecture.ofLabel(label).orElseThrow())
                .toList();
        new MakeBundle(Path.of(args[0]), Path.of(args[1]), architectures).run();
    }

    private void run() throws IOException {
        deleteAll(folder);
        Files.createDirectories(folder.resolve("jars"));
        link();
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
        for (String file : List.of("cli/java.options", "LICENSE")) {
            Files.copy(root.resolve(file), folder.resolve(Path.of(file).getFileName()));
        }
        Path tests = Files.createDirectory(folder.resolve("tests"));
        Files.copy(root.resolve("tests/src/bundle/gpu"), tests.resolve("gpu"));
        packTests(tests.resolve("gpu.jar"));
        new MakeCases(root, tests.resolve("cases"), architectures).run();
    }

    /** Not compressed, which the archive does better. */
    private void link() {
        run(
                "jlink",
                List.of(
                        "--add-modules",
                        MODULES,
                        "--strip-debug",
                        "--no-header-files",
                        "--no-man-pages",
                        "--compress=zip-0",
                        "--output",
                        folder.resolve("java").toString()));
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
        run("jar", words);
    }

    private static void run(String tool, List<String> words) {
        int exit = ToolProvider.findFirst(tool).orElseThrow().run(System.out, System.err, words.toArray(String[]::new));
        if (exit != 0) {
            throw new IllegalStateException(tool + " ended with " + exit);
        }
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
