package dev.remat.ir.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingFolderTest {
    /** No process has this id: Linux counts to 2^22. */
    private static final String OTHER = ".built.99999999-1";

    @TempDir
    Path folder;

    private Path place;

    @BeforeEach
    void writeOnce() throws IOException {
        place = folder.resolve("built");
        write();
    }

    private void write() throws IOException {
        ArtifactWriter.write(place, SampleArtifact.content());
    }

    /** What a run leaves that is killed between its two renames. */
    private Path leaveRoom(String run) throws IOException {
        for (String ending : new String[] {".new", ".old"}) {
            Files.createDirectory(folder.resolve(run + ending));
            Files.writeString(folder.resolve(run + ending).resolve("plan.json"), "half");
        }
        return Files.createFile(folder.resolve(run + ".lock"));
    }

    @Test
    void theRoomOfAKilledRunIsRemovedByTheNext() throws IOException {
        leaveRoom(OTHER);
        Files.delete(leaveRoom(".built.99999999-2"));
        write();
        assertThat(folder.toFile().list()).containsExactly("built");
        assertThat(ArtifactReader.read(place).plan()).isEqualTo(SampleArtifact.plan());
    }

    @Test
    void theRoomOfARunThatIsAliveStays() throws IOException {
        Path lock = leaveRoom(OTHER);
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            write();
            assertThat(held.isValid()).isTrue();
            assertThat(folder.toFile().list())
                    .containsExactlyInAnyOrder("built", OTHER + ".new", OTHER + ".old", OTHER + ".lock");
        }
    }

    /** Which nobody reads: opening it for writing would never end. */
    @Test
    void aPipeInPlaceOfALockIsPassedOver() throws IOException, InterruptedException {
        Path lock = leaveRoom(OTHER);
        Files.delete(lock);
        assertThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor())
                .isZero();
        write();
        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder("built", OTHER + ".new", OTHER + ".old", OTHER + ".lock");
    }

    @Test
    void whatBelongsToAnotherPlaceOrIsNoRoomStays() throws IOException {
        leaveRoom(".built2.99999999-1");
        Files.createDirectory(folder.resolve(".built.new"));
        Path linked = Files.createDirectory(folder.resolve("linked"));
        Files.writeString(linked.resolve("plan.json"), "mine");
        Files.createSymbolicLink(folder.resolve(OTHER + ".new"), linked);
        write();
        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder(
                        "built",
                        ".built2.99999999-1.new",
                        ".built2.99999999-1.old",
                        ".built2.99999999-1.lock",
                        ".built.new",
                        "linked",
                        OTHER + ".new");
        assertThat(linked.resolve("plan.json")).hasContent("mine");
    }

    @Test
    void aFailureRemovesNothingButItsOwnRoom() throws IOException {
        leaveRoom(OTHER);
        assertThatThrownBy(() -> FolderReplacement.replace(place, fresh -> {
                    throw new IOException("disk full");
                }))
                .hasMessage("disk full");
        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder("built", OTHER + ".new", OTHER + ".old", OTHER + ".lock");
    }
}
