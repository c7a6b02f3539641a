package dev.remat.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Nothing but what remat was built with is ever loaded, wherever it has to lie. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class LoadedLibrariesTest {
    private static final int DEVICE = 5;
    /** Of the system, which is root's, and of the JDK. */
    private static final List<String> TRUSTED =
            List.of("/usr/", "/lib/", "/lib64/", "/etc/", System.getProperty("java.home"));

    @TempDir
    Path folder;

    private RematProcess remat() {
        return new RematProcess(folder);
    }

    private Path natives() {
        return folder.resolve("home/.cache/remat/natives");
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private Path unpacked(String name) throws IOException {
        return files(natives()).stream()
                .filter(file -> file.endsWith(name))
                .findFirst()
                .orElseThrow();
    }

    /** All there are, of OpenBLAS, oneDNN, OR-Tools and NVRTC; also those that they find by themselves. */
    @Test
    void everyMappedLibraryLiesInTheFolder() throws IOException, InterruptedException {
        Result run = remat().withMain(MappedFiles.class).run("doctor");
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> libraries = run.out()
                .lines()
                .filter(line -> line.startsWith("mapped ") && line.contains(".so"))
                .map(line -> line.substring("mapped ".length()))
                .filter(file -> TRUSTED.stream().noneMatch(file::startsWith))
                .toList();
        assertThat(libraries)
                .allMatch(file -> file.startsWith(natives().toString()))
                .anyMatch(file -> file.endsWith("/libopenblas.so.0"))
                .anyMatch(file -> file.endsWith("/libgfortran.so.5"))
                .anyMatch(file -> file.endsWith("/libdnnl.so.3"))
                .anyMatch(file -> file.endsWith("/libjniortools.so"))
                .anyMatch(file -> file.endsWith("/libnvrtc.so.13"))
                .hasSizeGreaterThan(100);
        assertThat(run.out())
                .containsPattern("(?m)^ok +OpenBLAS +verified in " + natives() + "/openblas-")
                .containsPattern("(?m)^ok +OR-Tools +verified in " + natives() + "/ortools-")
                .containsPattern("(?m)^ok +system +Linux on amd64");
        assertThat(files(folder.resolve("tmp"))).isEmpty();
    }

    @Test
    void twoFirstStartsAtOnceBothWork() throws IOException, InterruptedException {
        RematProcess remat = remat();
        String[] train = SmallModel.train(folder, 2);
        List<Process> both = List.of(remat.start(train), remat.start(train));
        for (Process process : both) {
            Result run = remat.await(process);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err()).isEmpty();
        }
        assertThat(files(natives()))
                .noneMatch(file -> file.toString().endsWith(".tmp"))
                .anyMatch(file -> file.endsWith("libdnnl.so.3"));
    }

    /** Of the same size and time, in the place of one that is needed by another. */
    @Test
    void doesNotRunAPlantedLibrary() throws IOException, InterruptedException {
        assertThat(remat().run(SmallModel.train(folder, 1)).exitCode()).isZero();
        Path planted = unpacked("libgomp.so.1");
        byte[] whole = Files.readAllBytes(planted);
        FileTime time = Files.getLastModifiedTime(planted);
        Path marker = folder.resolve("ran");
        Files.write(planted, Arrays.copyOf(library(marker), whole.length));
        Files.setLastModifiedTime(planted, time);
        Result run = remat().run(SmallModel.train(folder, 1));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(marker).doesNotExist();
        assertThat(planted).hasBinaryContent(whole);
    }

    /** A library that says that it was loaded. */
    private byte[] library(Path marker) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("planted.cc"), """
            #include <cstdio>
            __attribute__((constructor)) static void run() { fclose(fopen("%s", "w")); }
            """.formatted(marker));
        Path library = folder.resolve("planted.so");
        Process compiler = new ProcessBuilder("c++", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                .inheritIO()
                .start();
        assertThat(compiler.waitFor()).isZero();
        return Files.readAllBytes(library);
    }

    @Test
    void refusesAFolderThatOthersWriteTo() throws IOException, InterruptedException {
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Result run = remat().with("REMAT_CACHE_DIR", shared).run(SmallModel.train(folder, 1));
        assertThat(run.exitCode()).isEqualTo(DEVICE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().strip())
                .isEqualTo("remat: oneDNN is not loaded from below " + shared + ", where somebody else could have"
                        + " written it: " + shared.toRealPath() + ": others may write to it (chmod go-w helps); or let"
                        + " REMAT_CACHE_DIR name a folder of your own");
        assertThat(files(shared)).isEmpty();
    }

    @Test
    void worksWithoutAHome() throws IOException, InterruptedException {
        Result run = remat().with("HOME", "/proc/nowhere").run(SmallModel.train(folder, 1));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err().strip()).matches("remat: oneDNN was unpacked to a temporary folder, .*");
        try (Stream<Path> left = Files.list(folder.resolve("tmp"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void saysThatThereIsNoPlaceAtAll() throws IOException, InterruptedException {
        Result run = remat().with("HOME", "/proc/nowhere")
                .withTemporaryFolder(folder.resolve("missing"))
                .run(SmallModel.train(folder, 1));
        assertThat(run.exitCode()).isEqualTo(DEVICE);
        assertThat(run.err())
                .contains("remat: oneDNN cannot be unpacked: /proc/nowhere", "is no folder for temporary files")
                .contains("let REMAT_CACHE_DIR name a folder that you can write to")
                .doesNotContain("Exception");
    }

    /** A limit on the size of files ends a write as a full disk does. */
    @Test
    void saysThatThereIsNoRoom() throws IOException, InterruptedException {
        Result run = remat().startedBy("bash", "-c", "ulimit -f 4096; exec \"$@\"", "bash")
                .with("REMAT_CACHE_DIR", folder.resolve("cache"))
                .run(SmallModel.train(folder, 1));
        assertThat(run.exitCode()).isEqualTo(DEVICE);
        assertThat(run.err())
                .contains("remat: oneDNN cannot be unpacked: ", "libdnnl.so.3", "REMAT_CACHE_DIR can name another")
                .doesNotContain("Exception");
        assertThat(files(folder.resolve("cache")))
                .noneMatch(file -> file.toString().endsWith(".tmp"));
    }

    @Test
    void refusesASettingThatIsNoFolder() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("file"), "");
        Result run = remat().with("REMAT_CACHE_DIR", file).run(SmallModel.train(folder, 1));
        assertThat(run.exitCode()).isEqualTo(DEVICE);
        assertThat(run.err()).contains("file: is no folder").doesNotContain("Exception");
        Result relative = remat().with("REMAT_CACHE_DIR", "cache").run(SmallModel.train(folder, 1));
        assertThat(relative.exitCode()).isEqualTo(DEVICE);
        assertThat(relative.err()).startsWith("remat: REMAT_CACHE_DIR is 'cache', which is no absolute path");
    }
}
