package dev.remat.ir.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.diagnostic.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadableFileTest {
    @TempDir
    Path folder;

    private Path pipe() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }

    @Test
    void refusesAPipeThatNobodyWritesTo() throws IOException, InterruptedException {
        Path pipe = pipe();
        assertThatThrownBy(() -> ReadableFile.check(pipe)).hasMessage(pipe + ": is a pipe or device, not a file");
        assertThatThrownBy(() -> ReadableFile.checkStream(pipe)).hasMessageStartingWith(pipe + ": is a pipe");
        assertThatThrownBy(() -> SourceFiles.read(pipe))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("is a pipe, not a file; a pipe is read as /dev/stdin");
    }

    @Test
    void refusesAFolder() {
        assertThatThrownBy(() -> ReadableFile.check(folder)).hasMessage(folder + ": is a folder, not a file");
        assertThatThrownBy(() -> ReadableFile.checkStream(folder)).hasMessage(folder + ": is a folder, not a file");
    }

    @Test
    void takesFilesAndLeavesMissingOnesToWhoOpensThem() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        for (Path path : new Path[] {file, link, folder.resolve("missing")}) {
            assertThatCode(() -> ReadableFile.check(path)).doesNotThrowAnyException();
            assertThatCode(() -> ReadableFile.checkStream(path)).doesNotThrowAnyException();
        }
    }

    @Test
    void takesADeviceOnlyAsAStream() {
        Path device = Path.of("/dev/null");
        assertThatThrownBy(() -> ReadableFile.check(device)).hasMessageContaining("device");
        assertThatCode(() -> ReadableFile.checkStream(device)).doesNotThrowAnyException();
        assertThatCode(() -> ReadableFile.checkStream(Path.of("/dev/stdin"))).doesNotThrowAnyException();
    }
}
