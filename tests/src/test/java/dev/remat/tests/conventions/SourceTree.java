package dev.remat.tests.conventions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The repository's own sources, as text. */
final class SourceTree {
    /** One source file: its path from the repository's root, and its lines. */
    record SourceFile(String path, List<String> lines) {
        String module() {
            return path.substring(0, path.indexOf('/'));
        }

        String text() {
            return String.join("\n", lines);
        }

        boolean isTest() {
            return path.contains("/src/test/");
        }

        String simpleName() {
            return path.substring(path.lastIndexOf('/') + 1, path.lastIndexOf('.'));
        }
    }

    static final List<String> MODULES =
            List.of("ir", "compiler", "codegen-cuda", "runtime", "runtime/gloo", "cli", "tests");

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private SourceTree() {}

    /** Every Java file of every module, in the order of paths. */
    static List<SourceFile> javaFiles() {
        return files("java");
    }

    /** Every file of every module that ends so, in the order of paths. */
    static List<SourceFile> files(String... endings) {
        return MODULES.stream()
                .flatMap(module -> read(ROOT.resolve(module).resolve("src"), List.of(endings)))
                .toList();
    }

    private static Stream<SourceFile> read(Path folder, List<String> endings) {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk
                    .filter(path -> endings.contains(path.toString().replaceFirst(".*\\.", "")))
                    .sorted()
                    .map(SourceTree::readFile)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SourceFile readFile(Path path) {
        try {
            return new SourceFile(ROOT.relativize(path).toString().replace('\\', '/'), Files.readAllLines(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
