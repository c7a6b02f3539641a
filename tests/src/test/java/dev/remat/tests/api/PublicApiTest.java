package dev.remat.tests.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What others may build on: types and members of the packages that are exported to everyone, as {@code
 * public-api.txt} has them. {@code -Dbless=true} writes it anew.
 */
class PublicApiTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Path GOLDEN = Path.of("src/test/resources/dev/remat/tests/api/public-api.txt");
    private static final Pattern EXPORTED = Pattern.compile("exports ([a-z.]+);");
    private static final Pattern OWN = Pattern.compile("\\b(dev\\.remat(?:\\.[a-z]+)*)\\.[A-Z]");
    /** What every record has, and what says nothing without its text. */
    private static final Pattern SILENT =
            Pattern.compile(" {2}public final (java.lang.String toString\\(\\)|int hashCode\\(\\)|boolean"
                    + " equals\\(java.lang.Object\\));|Compiled from .*");

    @Test
    void isAsItIsWrittenDown() throws IOException {
        String found = describe();
        if (Boolean.getBoolean("bless")) {
            Files.createDirectories(GOLDEN.getParent());
            Files.writeString(GOLDEN, found);
        }
        assertThat(found).isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void namesNothingInternal() throws IOException {
        List<String> named = OWN.matcher(describe())
                .results()
                .map(type -> type.group(1))
                .distinct()
                .toList();
        assertThat(named).isNotEmpty().isSubsetOf(exported().keySet());
    }

    @Test
    void leavesOutWhatIsNotPublic() throws IOException {
        assertThat(describe())
                .contains("public final class dev.remat.Training implements java.lang.AutoCloseable {")
                .contains("public static dev.remat.Model open(java.nio.file.Path);")
                .doesNotContain("ArrayFeed", "private", "HeldBack");
    }

    private static String describe() throws IOException {
        StringBuilder text = new StringBuilder();
        exported().forEach((name, module) -> {
            text.append("# package ")
                    .append(name)
                    .append(", of ")
                    .append(module)
                    .append("\n\n");
            types(module, name).map(PublicApiTest::declaration).forEach(text::append);
        });
        return text.toString();
    }

    /** The folder of the module that exports it to everyone, by package. */
    private static SortedMap<String, String> exported() throws IOException {
        SortedMap<String, String> exported = new TreeMap<>();
        for (String module : List.of("ir", "compiler", "codegen-cuda", "runtime", "cli")) {
            Path descriptor = ROOT.resolve(module).resolve("src/main/java/module-info.java");
            EXPORTED.matcher(Files.readString(descriptor))
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .forEach(name -> exported.put(name, module));
        }
        return exported;
    }

    /** Binary names of all types of a package, of one file after another. */
    private static Stream<String> types(String module, String name) {
        Path folder = ROOT.resolve(module).resolve("src/main/java").resolve(name.replace('.', '/'));
        try (Stream<Path> files = Files.list(folder)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".java") && !file.equals("package-info.java"))
                    .sorted()
                    .toList()
                    .stream()
                    .map(file -> name + "." + file.substring(0, file.length() - ".java".length()))
                    .flatMap(PublicApiTest::withNested);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Stream<String> withNested(String type) {
        try {
            return Stream.concat(
                    Stream.of(type),
                    Stream.of(Class.forName(type).getDeclaredClasses())
                            .map(Class::getName)
                            .collect(Collectors.toCollection(TreeSet::new))
                            .stream());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As {@code javap} prints a public type; nothing of another. */
    private static String declaration(String type) {
        StringWriter printed = new StringWriter();
        int exit = ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(
                        new PrintWriter(printed),
                        new PrintWriter(printed),
                        "-protected",
                        "-cp",
                        System.getProperty("java.class.path"),
                        type);
        assertThat(exit).as(printed.toString()).isZero();
        List<String> lines = printed.toString()
                .lines()
                .filter(line -> !SILENT.matcher(line).matches())
                .toList();
        return lines.getFirst().startsWith("public ") ? String.join("\n", lines) + "\n\n" : "";
    }
}
