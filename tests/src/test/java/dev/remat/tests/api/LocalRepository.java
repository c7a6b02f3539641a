package dev.remat.tests.api;

import dev.remat.Model;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.compiler.Compiler;
import dev.remat.ir.DType;
import dev.remat.runtime.Executable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;

/**
 * A local repository of Maven's in which the modules of this build are installed, as they are on the class path. All
 * else is that of the repository which the build itself uses, seen through links, so that nothing is written there.
 */
final class LocalRepository implements AutoCloseable {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final String OWN = "dev";

    private final List<Path> links = new ArrayList<>();

    /** @param folder that is there and empty */
    LocalRepository(Path folder) throws IOException {
        Path shared = placeOf(Assertions.class);
        for (int i = 0; i < "org/assertj/assertj-core/1/core.jar".split("/").length; i++) {
            shared = shared.getParent();
        }
        link(shared, folder);
        Path own = Files.createDirectory(folder.resolve(OWN));
        if (Files.isDirectory(shared.resolve(OWN))) {
            link(shared.resolve(OWN), own);
        }
        Files.copy(ROOT.resolve("pom.xml"), file(own, "remat", ".pom"));
        for (Map.Entry<String, Class<?>> module : modules().entrySet()) {
            String artifact = "remat-" + module.getKey();
            Files.copy(ROOT.resolve(module.getKey()).resolve("pom.xml"), file(own, artifact, ".pom"));
            Path built = placeOf(module.getValue());
            if (Files.isDirectory(built)) {
                pack(built, file(own, artifact, ".jar"));
            } else {
                Files.copy(built, file(own, artifact, ".jar"));
            }
        }
    }

    /** A type of each. */
    private static Map<String, Class<?>> modules() {
        Map<String, Class<?>> modules = new LinkedHashMap<>();
        modules.put("ir", DType.class);
        modules.put("compiler", Compiler.class);
        modules.put("codegen-cuda", CudaTarget.class);
        modules.put("runtime", Executable.class);
        modules.put("cli", Model.class);
        return modules;
    }

    private static Path placeOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets {@code folder} have what {@code shared} has, but for what is of remat. */
    private void link(Path shared, Path folder) throws IOException {
        for (Path each : list(shared)) {
            String name = each.getFileName().toString();
            if (!List.of(OWN, "remat").contains(name)) {
                links.add(Files.createSymbolicLink(folder.resolve(name), each));
            }
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static Path file(Path own, String artifact, String ending) throws IOException {
        Path folder = own.resolve("remat").resolve(artifact).resolve(VERSION);
        return Files.createDirectories(folder).resolve(artifact + "-" + VERSION + ending);
    }

    /** Lets go of the other repository. */
    @Override
    public void close() throws IOException {
        for (Path link : links) {
            Files.delete(link);
        }
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            for (Path each : files.filter(Files::isRegularFile).sorted().toList()) {
                packed.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace('\\', '/')));
                Files.copy(each, packed);
                packed.closeEntry();
            }
        }
    }
}
