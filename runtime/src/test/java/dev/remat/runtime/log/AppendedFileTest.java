package dev.remat.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppendedFileTest {
    @TempDir
    Path folder;

    @Test
    void piecesAreThereAtOnceAndGoBehindWhatIsThere() throws IOException {
        Path path = folder.resolve("file");
        try (AppendedFile file = AppendedFile.create(path)) {
            file.append(new byte[] {1, 2});
            assertThat(path).hasBinaryContent(new byte[] {1, 2});
        }
        try (AppendedFile file = AppendedFile.behind(path)) {
            file.append(new byte[] {3});
        }
        assertThat(path).hasBinaryContent(new byte[] {1, 2, 3});
    }

    @Test
    void whatIsThereIsNotReplaced() throws IOException {
        Path path = Files.writeString(folder.resolve("file"), "mine");
        assertThatThrownBy(() -> AppendedFile.create(path)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(path).hasContent("mine");
    }

    @Test
    void aFullDiskIsToldWithTheFile() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        try (AppendedFile file = AppendedFile.behind(full)) {
            assertThatThrownBy(() -> file.append(new byte[] {1}))
                    .isInstanceOf(IOException.class)
                    .hasMessage("/dev/full: No space left on device");
        }
    }
}
