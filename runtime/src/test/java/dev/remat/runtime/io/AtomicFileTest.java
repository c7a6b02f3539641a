package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path folder;

    @Test
    void createsAndReplaces() throws IOException {
        Path file = folder.resolve("f");
        AtomicFile.write(file, "first, longer".getBytes());
        AtomicFile.write(file, "second".getBytes());
        assertThat(file).hasContent("second");
        assertThat(folder).isDirectoryContaining(f -> f.equals(file));
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void keepsTheOldContentWhenWritingFailsHalfway() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "old");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
            channel.write(ByteBuffer.wrap("ne".getBytes()));
            throw new IOException("disk full");
        })).hasMessage("disk full");
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).hasSize(1);
    }

    /** A killed process leaves its temporary file; neither the content nor a later write may suffer from it. */
    @Test
    void ignoresWhatAKilledProcessLeft() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "old");
        long pid = ProcessHandle.current().pid();
        Files.writeString(folder.resolve(".f." + pid + ".tmp"), "a torn and rather long remainder");
        assertThat(file).hasContent("old");
        AtomicFile.write(file, "new".getBytes());
        assertThat(file).hasContent("new");
    }

    @Test
    void failsInAMissingDirectory() {
        assertThatThrownBy(() -> AtomicFile.write(folder.resolve("no/f"), new byte[0])).isInstanceOf(IOException.class);
    }
}
