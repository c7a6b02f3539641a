package dev.remat.tests.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The project of {@code samples/java} is built by Maven from what this build has made, and its program learns. */
@Tag("slow")
class JavaSampleTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern LOSS = Pattern.compile("step +\\d+ +loss ([0-9.]+)");

    @TempDir
    Path folder;

    @Test
    void itsProgramLearns() throws IOException, InterruptedException {
        Files.copy(ROOT.resolve("samples/mlp.model"), folder.resolve("mlp.model"));
        copy(ROOT.resolve("samples/java"), folder.resolve("java"));
        Path repository = Files.createDirectory(folder.resolve("repository"));
        try (LocalRepository _ = new LocalRepository(repository)) {
            String printed = maven("-o", "-Dmaven.repo.local=" + repository, "compile", "exec:exec");
            List<Double> losses = LOSS.matcher(printed)
                    .results()
                    .map(found -> Double.valueOf(found.group(1)))
                    .toList();
            assertThat(losses).as(printed).hasSize(10);
            assertThat(losses.getLast()).isLessThan(losses.getFirst() / 2);
            assertThat(printed).contains("first weight");
        }
    }

    private String maven(String... args) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q"));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.resolve("java").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process maven = builder.start();
        try {
            assertThat(maven.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            maven.destroyForcibly();
        }
        String printed = Files.readString(output);
        assertThat(maven.exitValue()).as(printed).isZero();
        return printed;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path each : files.filter(Files::isRegularFile).sorted().toList()) {
                Path name = from.relativize(each);
                if (!name.startsWith("target")) {
                    Path copy = to.resolve(name);
                    Files.createDirectories(copy.getParent());
                    Files.copy(each, copy);
                }
            }
        }
    }
}
