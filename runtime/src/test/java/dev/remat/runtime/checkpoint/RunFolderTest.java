package dev.remat.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.Tensors;
import java.io.IOException;
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

    @Test
    void aLockThatIsNotOursStays() throws IOException {
        Path lock = Files.writeString(folder.resolve(HeldFolder.Use.SAVE.lockFile()), "mine");
        assertThatThrownBy(() -> Runs.open(folder)).hasMessageContaining("is no lock of remat");
        assertThat(lock).hasContent("mine");
    }
}
