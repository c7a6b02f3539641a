package dev.remat.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.Tensors;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {
    private static final CheckpointMeta FIFTY = new CheckpointMeta(Runs.facts(42), 50);
    private static final CheckpointMeta SIXTY = new CheckpointMeta(Runs.facts(42), 60);

    @TempDir
    Path folder;

    private Path place() {
        return folder.resolve("run/checkpoint");
    }

    private void save(CheckpointMeta meta, List<StoredTensor> state) throws IOException {
        try (RunFolder run = Runs.open(place())) {
            run.save(meta, state);
        }
    }

    @Test
    void readsBackWhatWasSaved() throws IOException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(2L), 1, 2)));
        try (Checkpoint read = Checkpoint.open(place())) {
            assertThat(read.meta()).isEqualTo(FIFTY);
            assertThat(Tensors.floats(read.state().find("w").orElseThrow())).containsExactly(1, 2);
        }
    }

    /** What was written before there were any says nothing of them, and neither does what is written of one. */
    @Test
    void tellsOfMicroBatchesWhereThereAreSeveral() throws IOException {
        List<StoredTensor> state = List.of(Tensors.floats("w", List.of(1L), 1));
        Path file = place().resolve("meta.json");
        save(FIFTY, state);
        String whole = Files.readString(file);
        assertThat(whole).doesNotContain("micro");
        save(new CheckpointMeta(FIFTY.run().with(RunFacts.Part.MICRO_BATCHES, "1"), 50), state);
        assertThat(file).hasContent(whole);
        CheckpointMeta cut = new CheckpointMeta(FIFTY.run().with(RunFacts.Part.MICRO_BATCHES, "8"), 50);
        save(cut, state);
        String several = "  \"micro_batches\" : {\n    \"micro_batches\" : \"8\"\n  },\n";
        assertThat(Files.readString(file)).contains(several);
        assertThat(Files.readString(file).replace(several, "")).isEqualTo(whole);
        try (Checkpoint read = Checkpoint.open(place())) {
            assertThat(read.meta()).isEqualTo(cut);
        }
        Files.writeString(file, Files.readString(file).replace("\"8\"", "\"0\""));
        assertThatThrownBy(() -> Checkpoint.open(place()))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("has an impossible value: 0 micro-batches");
    }

    /** Which would wait for somebody who writes to it. */
    @Test
    void refusesAPipeInPlaceOfAFile() throws IOException, InterruptedException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(1L), 1)));
        Path meta = place().resolve("meta.json");
        for (Path file : List.of(stateFile(), meta)) {
            Files.delete(file);
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                    .isZero();
            assertTimeoutPreemptively(
                    Duration.ofSeconds(10),
                    () -> assertThatThrownBy(() -> Checkpoint.open(place()))
                            .isInstanceOfAny(CorruptFileException.class, FileSystemException.class)
                            .hasMessageStartingWith(meta.toString()));
        }
    }

    @Test
    void keepsOnlyTheLastState() throws IOException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(1L), 1)));
        save(SIXTY, List.of(Tensors.floats("w", List.of(1L), 2)));
        assertThat(place().toFile().list()).hasSize(2);
        assertThat(stateFile().getFileName().toString()).startsWith("state-60-");
    }

    @Test
    void savesTheSameStateTwice() throws IOException {
        List<StoredTensor> state = List.of(Tensors.floats("w", List.of(1L), 1));
        save(FIFTY, state);
        save(FIFTY, state);
        Checkpoint.open(place()).close();
    }

    /** What a crash leaves between the new state's rename and that of meta.json: the old checkpoint still opens. */
    @Test
    void opensThePreviousOneAfterACrashBeforeTheCommit() throws IOException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(1L), 1)));
        byte[] committed = Files.readAllBytes(place().resolve("meta.json"));
        byte[] oldState = Files.readAllBytes(stateFile());
        Path oldFile = stateFile();
        save(SIXTY, List.of(Tensors.floats("w", List.of(1L), 2)));
        Files.write(place().resolve("meta.json"), committed);
        Files.write(oldFile, oldState);
        Files.writeString(place().resolve(".state.safetensors.1.tmp"), "torn");
        try (Checkpoint read = Checkpoint.open(place())) {
            assertThat(read.meta()).isEqualTo(FIFTY);
        }
    }

    @Test
    void refusesEveryDamagedByteOfTheState() throws IOException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(2L), 1, 2)));
        Path state = stateFile();
        byte[] good = Files.readAllBytes(state);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= 1;
            Files.write(state, bad);
            assertThatThrownBy(() -> Checkpoint.open(place()).close())
                    .isInstanceOf(CorruptFileException.class)
                    .hasMessageContaining("not what was saved");
        }
        Files.write(state, Arrays.copyOf(good, good.length - 1));
        assertThatThrownBy(() -> Checkpoint.open(place()).close()).isInstanceOf(CorruptFileException.class);
        Files.write(state, good);
        Checkpoint.open(place()).close();
    }

    /** A state in blocks so small that each has one tensor or a part of the header. */
    @Test
    void namesTheBlockAndItsTensors() throws IOException {
        save(
                FIFTY,
                List.of(Tensors.floats("a", List.of(4L), 1, 2, 3, 4), Tensors.floats("b", List.of(4L), 5, 6, 7, 8)));
        Path state = stateFile();
        byte[] good = Files.readAllBytes(state);
        HashedFile blocks = HashedFile.read(state, 8);
        StateFile named = new StateFile(state.getFileName().toString(), blocks);
        Files.write(place().resolve("meta.json"), CheckpointMetaJson.print(new CheckpointMetaJson(FIFTY, named)));
        Checkpoint.open(place()).close();
        int count = good.length / 8;
        assertDamage(state, damaged(good, good.length - 17), "block " + (count - 2) + " of " + count, "concerns a;");
        assertDamage(state, damaged(good, good.length - 1), "block " + count + " of " + count, "concerns b;");
        assertDamage(state, damaged(good, 0), "block 1 of " + count, "is not what was saved; go back");
        assertDamage(state, Arrays.copyOf(good, good.length - 20), "instead of " + good.length, "concerns a, b;");
        assertDamage(state, Arrays.copyOf(good, good.length + 1), "instead of " + good.length, "concerns b;");
    }

    private static byte[] damaged(byte[] good, int at) {
        byte[] bad = good.clone();
        bad[at] ^= 1;
        return bad;
    }

    private void assertDamage(Path state, byte[] bad, String... said) throws IOException {
        Files.write(state, bad);
        assertThatThrownBy(() -> Checkpoint.open(place()))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContainingAll(said);
    }

    @Test
    void refusesEveryCutOfTheDescription() throws IOException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(1L), 1)));
        Path meta = place().resolve("meta.json");
        byte[] good = Files.readAllBytes(meta);
        for (int length = 0; length < good.length - 2; length++) {
            Files.write(meta, Arrays.copyOf(good, length));
            assertThatThrownBy(() -> Checkpoint.open(place()).close()).isInstanceOf(CorruptFileException.class);
        }
    }

    @Test
    void saysWhichNumberIsNone() throws IOException {
        save(new CheckpointMeta(FIFTY.run().with(RunFacts.Part.MICRO_BATCHES, "8"), 50), List.of());
        Path meta = place().resolve("meta.json");
        String good = Files.readString(meta);
        for (List<String> damage : List.of(
                List.of("\"step\" : 50", "\"step\" : \"5O\"", "step is '5O', which is no whole number"),
                List.of("\"step\" : 50", "\"step\" : 1e400", "step is '1e400', which is no whole number"),
                List.of("\"step\" : 50", "\"step\" : -1", "negative step -1"),
                List.of("\"stateBytes\" : ", "\"stateBytes\" : 1.5", "stateBytes is '1.5"),
                List.of("\"seed\" : \"42\"", "\"seed\" : \"\"", "seed is '', which is no whole number"),
                List.of("\"8\"", "\"eight\"", "micro_batches is 'eight', which is no whole number"),
                List.of("\"8\"", "\"99999999999\"", "99999999999 micro-batches"))) {
            assertThat(good).contains(damage.get(0));
            Files.writeString(meta, good.replace(damage.get(0), damage.get(1)));
            assertThatThrownBy(() -> Checkpoint.open(place()))
                    .isInstanceOf(CorruptFileException.class)
                    .hasMessageStartingWith(meta + ": has an impossible value: " + damage.get(2));
        }
    }

    @Test
    void refusesOtherVersionsAndStrayPaths() throws IOException {
        save(FIFTY, List.of(Tensors.floats("w", List.of(1L), 1)));
        Path meta = place().resolve("meta.json");
        String good = Files.readString(meta);
        Files.writeString(meta, good.replace("remat-checkpoint/3", "remat-checkpoint/1"));
        assertThatThrownBy(() -> Checkpoint.open(place()).close())
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("remat-checkpoint/1")
                .hasMessageContaining("--init");
        Files.writeString(meta, good.replace("\"state-", "\"../state-"));
        assertThatThrownBy(() -> Checkpoint.open(place()).close())
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("not the name of a state file");
    }

    @Test
    void tellsAMissingDirectoryFromAnEmptyOne() throws IOException {
        assertThatThrownBy(() -> Checkpoint.open(place())).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("holds no checkpoint");
    }

    private Path stateFile() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(place(), "state-*")) {
            return files.iterator().next();
        }
    }
}
