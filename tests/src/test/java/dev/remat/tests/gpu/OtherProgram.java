package dev.remat.tests.gpu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Finds and runs programs of the machine that a bundle does not bring. */
final class OtherProgram {
    /**
     * How it ended.
     *
     * @param exitCode empty if it took too long
     * @param output of both streams, line by line
     */
    record Ended(Optional<Integer> exitCode, List<String> output) {
        boolean isSuccess() {
            return exitCode.equals(Optional.of(0));
        }
    }

    private OtherProgram() {}

    /**
     * Where a program is.
     *
     * @param folders where it may be besides the {@code PATH}
     */
    static Optional<Path> find(String name, List<Path> folders) {
        List<Path> all = new ArrayList<>();
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (!folder.isEmpty()) {
                all.add(Path.of(folder));
            }
        }
        all.addAll(folders);
        return all.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Runs a program, and ends it when its time is over. */
    static Ended run(List<String> command, Duration time) throws IOException {
        Path output = Files.createTempFile("output", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            Optional<Integer> exit = Optional.empty();
            if (process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
                exit = Optional.of(process.exitValue());
            } else {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            return new Ended(
                    exit,
                    new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                            .lines()
                            .toList());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: " + String.join(" ", command), e);
        } finally {
            Files.delete(output);
        }
    }
}
