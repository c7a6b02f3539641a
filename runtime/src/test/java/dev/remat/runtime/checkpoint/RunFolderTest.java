package dev.remat.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.io.StreamedTensor;
import dev.remat.runtime.io.Tensors;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
    @TempDir
    Path folder;

    private static CheckpointMeta after(long step) {
        return new CheckpointMeta(Runs.facts(42), step);
    }

    private static List<StoredTensor> state(float value) {
        return List.of(Tensors.floats("w", List.of(1L), value));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void filesOfTheUserStay() throws IOException {
        List<String> mine = List.of(
                "state-foo.safetensors", "state-5-0123456789ab.safetensors", ".state.safetensors.tmp", "notes.txt");
        for (String name : mine) {
            Files.writeString(folder.resolve(name), "mine");
        }
        try (RunFolder run = Runs.open(folder)) {
            run.save(after(1), state(1));
            run.save(after(2), state(2));
        }
        assertThat(names()).containsAll(mine).hasSize(mine.size() + 2).contains("meta.json");
        for (String name : mine) {
            assertThat(folder.resolve(name)).hasContent("mine");
        }
    }

    @Test
    void whatIsNoCheckpointIsNeverReplaced() throws IOException {
        Path meta = Files.writeString(folder.resolve("meta.json"), "{\"format\": \"mine\"}");
        for (Existing existing : List.of(Existing.KEEP, Existing.OVERWRITE)) {
            assertThatThrownBy(() -> RunFolder.open(folder, existing, "train"))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("is no checkpoint's");
        }
        assertThat(meta).hasContent("{\"format\": \"mine\"}");
        assertThat(names()).containsExactly("meta.json");
    }

    @Test
    void aStateThatSomethingElseTookTheNameOfStays() throws IOException {
        try (RunFolder run = Runs.open(folder)) {
            run.save(after(1), state(1));
        }
        String state = names().get(1);
        Files.writeString(folder.resolve(state), "mine");
        try (RunFolder run = Runs.open(folder)) {
            run.save(after(2), state(2));
        }
        assertThat(folder.resolve(state)).hasContent("mine");
    }

    @Test
    void keepsACheckpointUnlessToldOtherwise() throws IOException {
        try (RunFolder run = RunFolder.open(folder, Existing.KEEP, "train")) {
            run.save(after(7), state(1));
        }
        assertThatThrownBy(() -> RunFolder.open(folder, Existing.KEEP, "train"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("the checkpoint of Tiny after step 7")
                .hasMessageContaining("--overwrite");
        RunFolder.open(folder, Existing.CONTINUE, "train").close();
        RunFolder.open(folder, Existing.OVERWRITE, "train").close();
        assertThat(names()).hasSize(2);
    }

    @Test
    void aSecondRunIsRefusedAndTheFirstGoesOn() throws IOException {
        try (RunFolder first = Runs.open(folder)) {
            assertThatThrownBy(() -> Runs.open(folder))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("another run");
            first.save(after(1), state(1));
        }
        Checkpoint.open(folder).close();
        try (RunFolder next = Runs.open(folder)) {
            assertThat(next.isExclusive()).isTrue();
        }
    }

    /** The lock's file names state files that a killed run was about to write or to remove. */
    @Test
    void whatAKilledRunLeftGoesWithTheNext() throws IOException {
        try (RunFolder run = Runs.open(folder)) {
            run.save(after(1), state(1));
        }
        String committed = names().get(1);
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        try (RunFolder run = Runs.open(elsewhere)) {
            run.save(after(2), state(2));
        }
        Path orphan;
        try (Stream<Path> files = Files.list(elsewhere)) {
            orphan = files.filter(file -> file.toString().endsWith(".safetensors"))
                    .findFirst()
                    .orElseThrow();
        }
        Path left = Files.move(orphan, folder.resolve(orphan.getFileName()));
        Path mine = Files.copy(left, folder.resolve("state-3-0123456789ab.safetensors"));
        Files.writeString(folder.resolve(".state.safetensors.1234567.tmp"), "torn");
        Files.writeString(folder.resolve(".meta.json.1234567-1.tmp"), "torn");
        Files.writeString(
                folder.resolve(HeldFolder.Use.SAVE.lockFile()),
                "remat run\n1\nhost\ntrain\nnow\nid\nstate " + left.getFileName() + "\nstate " + committed + "\nstate "
                        + mine.getFileName() + "\nstate ../meta.json\n");
        RunFolder.tidy(folder);
        assertThat(names())
                .containsExactlyInAnyOrder(
                        "elsewhere", "meta.json", committed, mine.getFileName().toString());
        Checkpoint.open(folder).close();
    }

    @Test
    void foldersThatNothingWasSavedInAreGoneAgain() throws IOException {
        Path nested = folder.resolve("a/b");
        Runs.open(nested).close();
        assertThat(names()).isEmpty();
        try (RunFolder run = Runs.open(nested)) {
            run.save(after(1), state(1));
        }
        assertThat(nested).isDirectory();
    }

    /** Whoever may write to the folder knows all of these names, and must not choose what is written over. */
    @Test
    void plantedLinksAreNotFollowed() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        Path place = Files.createDirectory(folder.resolve("run"));
        long process = ProcessHandle.current().pid();
        String writer = process + "-" + Thread.currentThread().threadId();
        Path meta = Files.createSymbolicLink(place.resolve("meta.json"), folder.resolve("made"));
        try (RunFolder run = Runs.open(place)) {
            for (String name : List.of(
                    ".state.safetensors." + process + ".tmp",
                    ".state.safetensors." + writer + ".tmp",
                    ".meta.json." + writer + ".tmp")) {
                Files.createSymbolicLink(place.resolve(name), victim);
            }
            run.save(after(1), state(1));
        }
        assertThat(victim).hasContent("mine");
        assertThat(folder.resolve("made")).doesNotExist();
        assertThat(Files.isSymbolicLink(meta)).isFalse();
        Checkpoint.open(place).close();
    }

    @Test
    void aLockThatIsALinkIsRefused() throws IOException {
        Path victim = Files.createFile(folder.resolve("victim"));
        Path place = Files.createDirectory(folder.resolve("run"));
        Path lock = place.resolve(HeldFolder.Use.SAVE.lockFile());
        for (Path target : List.of(victim, folder.resolve("made"))) {
            Files.deleteIfExists(lock);
            Files.createSymbolicLink(lock, target);
            assertThatThrownBy(() -> Runs.open(place))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessage(lock + ": is a link, no lock of remat; move it away");
            assertThat(lock).isSymbolicLink();
        }
        assertThat(victim).isEmptyFile();
        assertThat(folder.resolve("made")).doesNotExist();
    }

    @Test
    void aLockThatIsNoFileIsToldAsWhatItIs() throws IOException, InterruptedException {
        Path lock = folder.resolve(HeldFolder.Use.SAVE.lockFile());
        assertThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> Runs.open(folder)).hasMessage(lock + ": is a pipe, no lock of remat; move it away");
        Files.delete(lock);
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(lock));
            assertThatThrownBy(() -> Runs.open(folder))
                    .hasMessage(lock + ": is a socket, no lock of remat; move it away");
        }
        Files.delete(lock);
        Files.createDirectory(lock);
        assertThatThrownBy(() -> Runs.open(folder)).hasMessage(lock + ": is a folder, no lock of remat; move it away");
        Files.delete(lock);
        Runs.open(folder).close();
    }

    /** As a folder on a disk of its own, which is not there yet. */
    @Test
    void aLinkToAFolderThatIsMissingStays() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("disk", "run"));
        try (RunFolder run = RunFolder.open(link, Existing.KEEP, "train")) {
            run.save(after(1), state(1));
        }
        assertThat(link).isSymbolicLink();
        Checkpoint.open(folder.resolve("disk/run")).close();
    }

    /** The system's words name nothing. */
    @Test
    void aFullDiskIsToldWithTheFolder() throws IOException {
        StreamedTensor tensor = new FullDisk(state(1).getFirst());
        try (RunFolder run = Runs.open(folder)) {
            assertThatThrownBy(() -> run.save(after(1), List.of(tensor)))
                    .isInstanceOf(IOException.class)
                    .hasMessage(folder + ": No space left on device");
        }
        assertThat(names()).isEmpty();
    }

    private record FullDisk(StoredTensor tensor) implements StreamedTensor {
        @Override
        public String name() {
            return tensor.name();
        }

        @Override
        public StoredType type() {
            return tensor.type();
        }

        @Override
        public List<Long> shape() {
            return tensor.shape();
        }

        @Override
        public long byteSize() {
            return tensor.byteSize();
        }

        @Override
        public void stream(Sink sink) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    @Test
    void aLockThatIsNotOursStays() throws IOException {
        Path lock = Files.writeString(folder.resolve(HeldFolder.Use.SAVE.lockFile()), "mine");
        assertThatThrownBy(() -> Runs.open(folder)).hasMessageContaining("is no lock of remat");
        assertThat(lock).hasContent("mine");
    }
}
