package dev.remat.ir.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
    @TempDir
    Path temporary;

    private Path folder;

    /** Without links on the way, also where the system's temporary folder is one. */
    @BeforeEach
    void resolve() throws IOException {
        folder = temporary.toRealPath();
    }

    private Path with(String permissions) throws IOException {
        Path existing = Files.createDirectory(folder.resolve("existing"));
        return Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString(permissions));
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void createsFoldersThatOthersCannotEnter() throws IOException {
        Path created = PrivateFolder.create(folder.resolve("a/b"));
        assertThat(permissions(created)).isEqualTo("rwx------");
        assertThat(permissions(created.getParent())).isEqualTo("rwx------");
        assertThat(PrivateFolder.create(created)).isEqualTo(created);
    }

    @Test
    void takesAnExistingFolderThatOthersOnlyRead() throws IOException {
        Path existing = with("rwxr-xr-x");
        assertThat(PrivateFolder.create(existing)).isEqualTo(existing);
    }

    @Test
    void refusesAFolderThatOthersWriteTo() throws IOException {
        Path existing = with("rwxr-xrwx");
        assertThatThrownBy(() -> PrivateFolder.create(existing))
                .isInstanceOf(UntrustedFolderException.class)
                .hasMessage(existing + ": others may write to it (chmod go-w helps)");
    }

    @Test
    void refusesAFolderThatOthersCouldReplace() throws IOException {
        Path existing = with("rwxrwxrwx");
        assertThatThrownBy(() -> PrivateFolder.create(existing.resolve("a/b")))
                .isInstanceOf(UntrustedFolderException.class)
                .hasMessageStartingWith(existing + ": others may write to it");
    }

    /** In such a folder, {@code /tmp} is one, nobody touches what belongs to somebody else. */
    @Test
    void takesAFolderInAStickyOne() throws IOException {
        Path existing = with("rwxrwxrwx");
        Files.setAttribute(existing, "unix:mode", 01777);
        assertThat(PrivateFolder.create(existing.resolve("a"))).isDirectory();
        assertThatThrownBy(() -> PrivateFolder.create(existing)).isInstanceOf(UntrustedFolderException.class);
    }

    @Test
    void refusesWhatLeadsElsewhere() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), with("rwx------"));
        assertThatThrownBy(() -> PrivateFolder.create(link)).hasMessageContaining("is no folder");
    }

    @Test
    void looksAtWhereALinkLeads() throws IOException {
        Path existing = with("rwxrwxrwx");
        Path link = Files.createSymbolicLink(folder.resolve("link"), existing);
        assertThatThrownBy(() -> PrivateFolder.create(link.resolve("a")))
                .isInstanceOf(UntrustedFolderException.class)
                .hasMessageStartingWith(existing + ": ");
        Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString("rwx------"));
        assertThat(PrivateFolder.create(link.resolve("a"))).isEqualTo(existing.resolve("a"));
    }

    @Test
    void saysWhatIsInTheWay() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> PrivateFolder.create(file)).hasMessage(file + ": is no folder");
        assertThatThrownBy(() -> PrivateFolder.create(file.resolve("a")))
                .isInstanceOf(FileSystemException.class)
                .hasMessage(file + ": is no folder");
    }
}
