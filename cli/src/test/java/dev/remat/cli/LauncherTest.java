package dev.remat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the launcher on a tree of its own, with a Maven that only notes that it was called. */
@Tag("slow")
class LauncherTest {
    private static final Path LAUNCHER =
            Path.of("").toAbsolutePath().getParent().resolve("remat");

    /** A build rehearses a start, which takes seconds: what does not ask for one of its own runs in this tree. */
    @TempDir
    static Path sharedFolder;

    private static Tree shared;

    /** What two processes said that found the tree unbuilt, at the same time. */
    private static List<Result> first;

    @TempDir
    Path folder;

    private Tree fresh;

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        shared = Tree.make(sharedFolder);
        Process other = shared.start("help", "doctor");
        first = List.of(shared.run("help", "doctor"), Result.of(other));
        assertThat(shared.builds()).isEqualTo(1);
    }

    @BeforeEach
    void makeTree() throws IOException {
        fresh = Tree.make(folder);
    }

    private record Tree(Path folder) {
        static Tree make(Path folder) throws IOException {
            Tree tree = new Tree(folder);
            Files.copy(LAUNCHER, folder.resolve("remat"));
            Files.createDirectories(folder.resolve("cli"));
            for (String file : List.of("cli/java.options", "cli/memory.sh")) {
                Files.copy(LAUNCHER.resolveSibling(file), folder.resolve(file));
            }
            for (Path file : List.of(folder.resolve("pom.xml"), folder.resolve("ir/pom.xml"), tree.source())) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, "");
                Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
            }
            tree.writeMaven("""
                sleep 1
                mkdir -p cli/target
                cp empty.jar cli/target/remat-cli-1.jar
                echo "%s" > cli/target/classpath
                """.formatted(System.getProperty("java.class.path")));
            try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(folder.resolve("empty.jar")))) {
                jar.setComment("no classes");
            }
            return tree;
        }

        Path source() {
            return folder.resolve("ir/src/main/java/A.java");
        }

        void writeMaven(String script) throws IOException {
            writeCommand("mvn", "echo built >> builds\n" + script);
        }

        void writeCommand(String name, String script) throws IOException {
            Path command = folder.resolve("bin").resolve(name);
            Files.createDirectories(command.getParent());
            Files.writeString(command, "#!/bin/sh\n" + script);
            Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
        }

        Process start(String... args) throws IOException {
            return builder(args).start();
        }

        ProcessBuilder builder(String... args) {
            List<String> command =
                    new ArrayList<>(List.of("bash", folder.resolve("remat").toString()));
            command.addAll(List.of(args));
            ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
            builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            return builder;
        }

        Result run(String... args) throws IOException, InterruptedException {
            return Result.of(start(args));
        }

        int builds() throws IOException {
            return Files.readAllLines(folder.resolve("builds")).size();
        }
    }

    private record Result(int exitCode, String out, String err) {
        static Result of(Process process) throws IOException, InterruptedException {
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), out, err);
        }
    }

    @Test
    void twoFirstStartsBuildOnceAndHandArgumentsOn() {
        for (Result start : first) {
            assertThat(start.exitCode()).as(start.err()).isZero();
            assertThat(start.out()).startsWith("Usage: remat doctor");
        }
        assertThat(first)
                .filteredOn(start -> start.err().startsWith("remat: building"))
                .isNotEmpty();
    }

    @Test
    void whatIsBuiltIsStarted() throws IOException, InterruptedException {
        int before = shared.builds();
        Result run = shared.run("doctor", "--no such option");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("remat: unknown option: '--no such option'");
        assertThat(shared.builds()).isEqualTo(before);
    }

    /** Neither the locale of most containers nor one that is set to it takes them away. */
    @Test
    void knowsNamesBeyondAscii() throws IOException, InterruptedException {
        Path model = shared.folder.resolve("mod\u00e8le \u4e2d.model");
        Files.writeString(model, "remat 1\n\nmodel M() {\n  input x: f32[4]\n  loss = mean(x)\n}\n");
        for (String locale : List.of("C", "POSIX", "")) {
            ProcessBuilder builder = shared.builder("fmt", model.toString());
            builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
            builder.environment().put("LC_ALL", locale);
            Result run = Result.of(builder.start());
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).startsWith("remat 1");
        }
    }

    @Test
    void worksWithoutAHome() throws IOException, InterruptedException {
        ProcessBuilder builder = shared.builder("help", "doctor");
        builder.environment().remove("HOME");
        builder.environment().remove("JAVA_HOME");
        builder.environment().put("JAVA25_HOME", System.getProperty("java.home"));
        Result run = Result.of(builder.start());
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** Before a build, which would take a minute. */
    @Test
    void refusesOtherPlatformsAtOnce() throws IOException, InterruptedException {
        fresh.writeCommand("uname", "echo Linux aarch64\n");
        Result run = fresh.run("help");
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err().strip()).isEqualTo("remat: remat runs on Linux on x86-64 only, and this is Linux aarch64");
        assertThat(fresh.folder.resolve("builds")).doesNotExist();
    }

    @Test
    void buildsAgainWhenASourceIsNewer() throws IOException, InterruptedException {
        int before = shared.builds();
        Files.setLastModifiedTime(shared.source(), FileTime.from(Instant.now()));
        assertThat(shared.run("help").err()).startsWith("remat: building");
        assertThat(shared.builds()).isEqualTo(before + 1);
    }

    @Test
    void tellsOfAFailedBuild() throws IOException, InterruptedException {
        fresh.writeMaven("echo '[ERROR] A.java:[1] error: no such thing'; exit 1\n");
        Result failed = fresh.run("help");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("A.java:[1] error: no such thing", "the build failed", "build.log");
    }

    /** As one that was deleted from Maven's repository, or is another user's. */
    @Test
    void aJarThatCannotBeReadIsNamed() throws IOException, InterruptedException {
        fresh.writeMaven("""
            mkdir -p cli/target
            cp empty.jar cli/target/remat-cli-1.jar
            echo "$PWD/gone.jar" > cli/target/classpath
            """);
        Result run = fresh.run("help");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines().toList().getLast())
                .startsWith("remat: cannot read " + fresh.folder + "/gone.jar, which remat needs; delete ");
        assertThat(run.err().lines()).allMatch(line -> line.startsWith("remat: "));
    }

    @Test
    void aFolderThatCannotBeWrittenToIsNamed() throws IOException, InterruptedException {
        Path lock = fresh.folder.resolve("cli/target/launch/lock");
        Files.createDirectories(lock);
        Result run = fresh.run("help");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().strip())
                .isEqualTo("remat: " + lock.getParent()
                        + " cannot be written to, and what is built there is out of date" + " or cannot be read");
    }

    /** Else the first of several that mpirun starts would wait for others while they wait until all is built. */
    @Test
    void theRehearsalJoinsNobody() throws IOException, InterruptedException {
        Path jdk = Path.of(System.getProperty("java.home"));
        Path recorder = Files.createDirectories(fresh.folder.resolve("jdk"));
        Files.copy(jdk.resolve("release"), recorder.resolve("release"));
        fresh.writeCommand("../jdk/bin/javac", "");
        fresh.writeCommand("../jdk/bin/java", """
            case "$*" in *dev.remat.cli.Rehearsal*) env > "%s" ;; esac
            exec "%s/bin/java" "$@"
            """.formatted(fresh.folder.resolve("rehearsed"), jdk));
        ProcessBuilder builder = fresh.builder("help", "doctor");
        builder.environment().put("JAVA_HOME", recorder.toString());
        builder.environment()
                .put("REMAT_CACHE_DIR", fresh.folder.resolve("cache").toString());
        for (String name : List.of("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "RANK")) {
            builder.environment().put(name, "0");
        }
        Result run = Result.of(builder.start());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readAllLines(fresh.folder.resolve("rehearsed")))
                .contains("REMAT_CACHE_DIR=" + fresh.folder.resolve("cache"))
                .noneMatch(line -> line.matches(".*RANK=.*|SLURM_.*"));
    }

    private Result limited(long kibibytes, Tree tree, String... args) throws IOException, InterruptedException {
        ProcessBuilder builder = tree.builder(args);
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", "ulimit -v " + kibibytes + " && exec \"$@\"", "bash"));
        command.addAll(builder.command());
        return Result.of(builder.command(command).start());
    }

    /** By itself the virtual machine reserves a multiple for its heap, and ends with words of its own. */
    @Test
    void startsWithinALimitOfAddresses() throws IOException, InterruptedException {
        Result run = limited(1_500_000, shared, "help", "doctor");
        assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).startsWith("Usage: remat doctor");
        Result refused = limited(500_000, shared, "help");
        assertThat(refused.exitCode()).isEqualTo(6);
        assertThat(refused.err().strip())
                .isEqualTo("remat: ulimit -v allows 488 MiB of memory, and remat takes 900 MiB before any tensor");
    }

    /** What a shell makes of the kernel's files below the folder: the options, or why it ended with 6. */
    private String memoryOptions(String shell) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        shell,
                        "-c",
                        "memory_root=" + folder + "; . " + fresh.folder.resolve("cli/memory.sh")
                                + "; echo \"$memory_options\"")
                .redirectErrorStream(true)
                .start();
        Result result = Result.of(process);
        return (result.exitCode() + " " + result.out().strip()).strip();
    }

    private void kernelFile(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void takesLittleWhereThereIsLittle() throws IOException, InterruptedException {
        for (String shell : List.of("bash", "sh")) {
            kernelFile("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 4000000 kB\nSwapFree: 0 kB\n");
            kernelFile("proc/self/cgroup", "4:cpu,memory:/docker/x\n0::/a/b\n");
            kernelFile("sys/fs/cgroup/a/b/memory.max", "max\n");
            kernelFile("sys/fs/cgroup/a/memory.max", "419430400\n");
            kernelFile("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
            assertThat(memoryOptions(shell)).isEqualTo("0");
            kernelFile("sys/fs/cgroup/a/memory.max", "209715200\n");
            assertThat(memoryOptions(shell)).isEqualTo("0 -XX:TieredStopAtLevel=1 -Xmx68m");
            kernelFile("sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
            assertThat(memoryOptions(shell))
                    .isEqualTo("6 remat: the control group / allows 64 MiB of memory, and remat takes 96 MiB before any"
                            + " tensor");
            kernelFile("proc/meminfo", "MemAvailable: 40960 kB\nSwapFree: 10240 kB\n");
            assertThat(memoryOptions(shell)).contains("6 remat: what this machine has free allows 50 MiB");
        }
    }

    @Test
    void aBrokenStartCacheIsNoTrouble() throws IOException, InterruptedException {
        Result before = shared.run("help");
        Path launch = shared.folder.resolve("cli/target/launch");
        String snapshot = Files.readString(launch.resolve("current")).strip();
        Files.writeString(launch.resolve(snapshot).resolve("remat.aot"), "garbage");
        Result second = shared.run("help");
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).isEqualTo(before.out());
        assertThat(second.err()).isEmpty();
    }
}
