package dev.remat.tests.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The remat command in a process of its own, with a home and a temporary folder that hold nothing else. */
public final class RematProcess {
    private static final long MOST_SECONDS = 120;

    private final Path folder;
    private final Map<String, String> environment = new TreeMap<>();
    private final List<String> before = new ArrayList<>();
    private Path temporary;
    private String main = "dev.remat.cli.Main";
    private Optional<Path> first = Optional.empty();
    private String lacking = "/no such jar/";

    /**
     * What it printed and returned.
     *
     * @param exitCode 128 and the signal's number more for a process that a signal ended
     */
    public record Result(int exitCode, String out, String err) {}

    /** @param folder of which it uses {@code home} and {@code tmp} */
    public RematProcess(Path folder) {
        this.folder = folder;
        this.temporary = folder.resolve("tmp");
        environment.put("HOME", folder.resolve("home").toString());
        environment.put("PATH", System.getenv("PATH"));
    }

    /** Sets a variable of its environment, which has no others than {@code HOME} and {@code PATH}. */
    public RematProcess with(String variable, Object value) {
        environment.put(variable, value.toString());
        return this;
    }

    public RematProcess without(String variable) {
        environment.remove(variable);
        return this;
    }

    /** Lets another program start the process: its words come first. */
    public RematProcess startedBy(String... words) {
        before.addAll(List.of(words));
        return this;
    }

    public RematProcess withTemporaryFolder(Path path) {
        temporary = path;
        return this;
    }

    public RematProcess withMain(Class<?> other) {
        main = other.getName();
        return this;
    }

    /** Takes classes from this folder before all others. */
    public RematProcess withClasses(Path folderOfClasses) {
        first = Optional.of(folderOfClasses);
        return this;
    }

    /** Leaves out what of the class path has this in its name. */
    public RematProcess withoutJar(String name) {
        lacking = name;
        return this;
    }

    public Process start(String... args) throws IOException {
        Files.createDirectories(folder.resolve("home"));
        Files.createDirectories(folder.resolve("tmp"));
        List<String> command = new ArrayList<>(before);
        List<String> java = JavaCommand.of(main, "-Djava.io.tmpdir=" + temporary);
        int classPath = java.indexOf("-cp") + 1;
        java.set(
                classPath,
                Pattern.compile(File.pathSeparator)
                        .splitAsStream(java.get(classPath))
                        .filter(entry -> !entry.contains(lacking))
                        .collect(Collectors.joining(File.pathSeparator)));
        first.ifPresent(classes -> java.set(classPath, classes + File.pathSeparator + java.get(classPath)));
        command.addAll(java);
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.redirectOutput(Files.createTempFile(folder, "out", ".txt").toFile());
        builder.redirectError(Files.createTempFile(folder, "err", ".txt").toFile());
        Process process = builder.start();
        outputs.put(process.pid(), builder);
        return process;
    }

    private final Map<Long, ProcessBuilder> outputs = new TreeMap<>();

    /** Waits for what {@link #start} started. */
    public Result await(Process process) throws IOException, InterruptedException {
        if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("did not end within " + MOST_SECONDS + " s");
        }
        ProcessBuilder builder = outputs.get(process.pid());
        return new Result(
                process.exitValue(),
                text(builder.redirectOutput().file().toPath()),
                text(builder.redirectError().file().toPath()));
    }

    public Result run(String... args) throws IOException, InterruptedException {
        return await(start(args));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
