package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What no honest exporter writes is refused in little memory, with a reason, and nothing is written for it. */
@Tag("slow")
class HostileFilesTest {
    /** In all, of which little lives at a time: a heap of 64 MiB is enough for each. */
    private static final long MOST_BYTES = 256L << 20;

    @TempDir
    Path folder;

    static Stream<String> files() throws IOException {
        return HostileFiles.all().keySet().stream();
    }

    @Test
    void areFortyAtLeast() throws IOException {
        assertThat(HostileFiles.all()).hasSizeGreaterThanOrEqualTo(40);
    }

    @ParameterizedTest
    @MethodSource("files")
    void isRefusedInLittleMemory(String what) throws IOException {
        Path file = Files.write(folder.resolve("m.onnx"), HostileFiles.all().get(what));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Console(out, out, false, false);
        long before = threads.getCurrentThreadAllocatedBytes();
        int exitCode = RematCommand.run(
                console,
                "import",
                file.toString(),
                "-o",
                folder.resolve("m.model").toString());
        long taken = threads.getCurrentThreadAllocatedBytes() - before;
        String said = out.toString(StandardCharsets.UTF_8);
        assertThat(exitCode).as(said).isIn(3, 8);
        assertThat(said).isNotBlank().doesNotContain("\tat ", "Exception");
        assertThat(taken).as(said).isLessThanOrEqualTo(MOST_BYTES);
        assertThat(folder.resolve("m.model")).doesNotExist();
        assertThat(folder.resolve("m.safetensors")).doesNotExist();
    }
}
