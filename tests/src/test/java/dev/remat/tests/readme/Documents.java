package dev.remat.tests.readme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What users read: the README, the guides, and the pages of errors. */
final class Documents {
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final List<String> PLACES = List.of(
            "README.md",
            "CONTRIBUTING.md",
            "docs",
            "samples",
            "tests/benchmarks",
            "compiler/src/main/resources/errors");

    private Documents() {}

    /** All of them, in the order of places and names. */
    static List<Path> all() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String place : PLACES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
                found.addAll(files.filter(file -> file.toString().endsWith(".md")
                                && !ROOT.relativize(file).toString().contains("target/"))
                        .sorted()
                        .toList());
            }
        }
        return found;
    }

    static String name(Path document) {
        return ROOT.relativize(document).toString();
    }
}
