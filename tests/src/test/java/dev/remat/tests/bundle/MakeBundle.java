package dev.remat.tests.bundle;

import dev.remat.ir.natives.NativeLibraries;
import dev.remat.runtime.cpu.CpuExecutable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Lays out what runs artifacts on a machine that has neither Java nor a network: {@code MakeBundle ROOT FOLDER} makes
 * {@code FOLDER} from what is built below the project's {@code ROOT}. It holds a Java runtime of the modules that remat
 * needs, the jars of the class path and a launcher. Of native libraries it has those alone that train on the CPU; so it
 * neither compiles kernels nor solves planning problems by constraints.
 */
final class MakeBundle {
    private static final String MODULES = "java.base,java.desktop,java.logging,java.xml,jdk.unsupported";

    private final Path root;
    private final Path folder;

    private MakeBundle(Path root, Path folder) {
        this.root = root;
        this.folder = folder;
    }

    public static void main(String[] args) throws IOException {
        new MakeBundle(Path.of(args[0]), Path.of(args[1])).run();
    }

    private void run() throws IOException {
        deleteAll(folder);
        Files.createDirectories(folder.resolve("jars"));
        link();
        Set<String> natives = new TreeSet<>();
        for (NativeLibraries libraries : CpuExecutable.libraries()) {
            natives.addAll(libraries.resources());
        }
        for (Path jar : classPath()) {
            RepackJar.run(jar, natives, folder.resolve("jars"));
        }
        Files.copy(root.resolve("tests/src/bundle/remat"), folder.resolve("remat"));
        for (String file : List.of("cli/java.options", "LICENSE")) {
            Files.copy(root.resolve(file), folder.resolve(Path.of(file).getFileName()));
        }
    }

    /** Not compressed, which the archive does better. */
    private void link() {
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        int exit = jlink.run(
                System.out,
                System.err,
                "--add-modules",
                MODULES,
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--compress=zip-0",
                "--output",
                folder.resolve("java").toString());
        if (exit != 0) {
            throw new IllegalStateException("jlink ended with " + exit);
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
