package dev.remat.ir.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WritableFolderTest {
    @TempDir
    Path folder;

    @Test
    void aFolderThatIsThereOrCouldBeMadeTakesFilesAndStaysAsItIs() throws IOException {
        WritableFolder.check(folder);
        WritableFolder.check(folder.resolve("a/b/c"));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aPlantedLinkIsNotFollowed() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        String writer =
                ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId();
        Path link = Files.createSymbolicLink(folder.resolve("." + writer + ".tmp"), victim);
        WritableFolder.check(folder);
        assertThat(victim).hasContent("mine");
        assertThat(link).isSymbolicLink();
    }

    @Test
    void aFileInTheWayIsNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "mine");
        for (Path place : new Path[] {file, file.resolve("a/b")}) {
            assertThatThrownBy(() -> WritableFolder.check(place))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessage(file + ": is a file, not a folder");
        }
        assertThat(file).hasContent("mine");
    }

    /** Nobody can create files among processes, not even the superuser. */
    @Test
    void aFolderThatTakesNoFilesIsRefused() {
        assertThatThrownBy(() -> WritableFolder.check(Path.of("/proc/self")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageStartingWith("/proc/self");
    }
}
