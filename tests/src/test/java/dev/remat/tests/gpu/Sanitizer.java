package dev.remat.tests.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs small cases again under NVIDIA's {@code compute-sanitizer}, where it is installed: it sees stray accesses. */
final class Sanitizer {
    private static final String NAME = "compute-sanitizer";
    private static final int STRAY = 86;
    private static final Path TOOLKITS = Path.of("/usr/local");
    /** Every operation once, tensor cores, and steps with embeddings, attention and recomputation. */
    private static final String SMALL =
            "ops-f32-examples,ops-bf16-aligned,ops-bf16-aligned-tensor,steps-mlp,steps-gpt-odd";

    private Sanitizer() {}

    /** Where it is: on the {@code PATH}, or in a toolkit beside the driver. */
    static Optional<Path> find() throws IOException {
        List<Path> folders = new ArrayList<>();
        if (Files.isDirectory(TOOLKITS)) {
            try (Stream<Path> toolkits = Files.list(TOOLKITS)) {
                toolkits.filter(folder -> folder.getFileName().toString().startsWith("cuda"))
                        .sorted()
                        .map(folder -> folder.resolve("bin"))
                        .forEach(folders::add);
            }
        }
        return OtherProgram.find(NAME, folders);
    }

    /**
     * Runs them.
     *
     * @return what it has found; empty is nothing
     */
    static List<String> run(Path sanitizer, Path cases, Duration time) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                sanitizer.toString(), "--error-exitcode", Integer.toString(STRAY), "--target-processes", "all"));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ProveOnGpu.class.getName(),
                cases.toString(),
                "--only",
                SMALL));
        OtherProgram.Ended ended = OtherProgram.run(command, time);
        if (ended.exitCode().isEmpty()) {
            return List.of("was not done within " + time.toSeconds() + " s");
        }
        if (ended.isSuccess()) {
            return List.of();
        }
        List<String> found = ended.output().stream()
                .filter(line -> line.startsWith("========="))
                .limit(8)
                .toList();
        return found.isEmpty()
                ? List.of("ended with " + ended.exitCode().get() + ": "
                        + (ended.output().isEmpty() ? "" : ended.output().getLast()))
                : found;
    }
}
