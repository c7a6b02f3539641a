package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
    @TempDir
    Path folder;

    private Path with(String permissions) throws IOException {
        Path existing = Files.createDirectory(folder.resolve("existing"));
        return Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void createsFoldersThatOthersCannotEnter() throws IOException {
        Path created = PrivateFolder.create(folder.resolve("a/b"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(created)))
                .isEqualTo("rwx------");
        assertThat(PrivateFolder.create(created)).isEqualTo(created);
    }

    @Test
    void takesAnExistingFolderThatOthersOnlyRead() throws IOException {
        Path existing = with("rwxr-xr-x");
        assertThat(PrivateFolder.create(existing)).isEqualTo(existing);
    }

    @Test
    void refusesAFolderThatOthersWriteTo() throws IOException {
        Path existing = with("rwxrwxr-x");
        assertThatThrownBy(() -> PrivateFolder.create(existing))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("others may write to it");
    }

    @Test
    void refusesWhatLeadsElsewhere() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), with("rwx------"));
        assertThatThrownBy(() -> PrivateFolder.create(link)).hasMessageContaining("is no folder");
    }

    @Test
    void keepsWhatCanBeMadeAgainBelowOneFolder() {
        assertThat(PrivateFolder.cache()).isAbsolute();
    }
}
