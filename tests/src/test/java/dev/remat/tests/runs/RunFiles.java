package dev.remat.tests.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A run's folder with files of the user in it. */
record RunFiles(Path folder) {
    private static final List<String> MINE =
            List.of("state-foo.safetensors", "state-1-0123456789ab.safetensors", "notes.txt");

    static RunFiles in(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String name : MINE) {
            Files.writeString(folder.resolve(name), "mine");
        }
        return new RunFiles(folder);
    }

    /** Whether something lies in the folder that is written to take its place there. */
    static boolean holdsTemporaries(Path folder) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, ".*.tmp")) {
            return found.iterator().hasNext();
        }
    }

    void assertNothingOfTheUsersIsLost(String when) {
        for (String name : MINE) {
            assertThat(folder.resolve(name)).as(when).hasContent("mine");
        }
    }

    /** The step that the checkpoint is of, which must open if there is one. */
    long step() throws IOException {
        if (!Files.exists(folder.resolve("meta.json"))) {
            return 0;
        }
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            return checkpoint.meta().step();
        }
    }

    /** What is there beside the user's files and the checkpoint. */
    List<String> leftovers() throws IOException {
        String state;
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            state = "state-" + checkpoint.meta().step() + "-";
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !MINE.contains(name) && !name.equals("meta.json") && !name.startsWith(state))
                    .sorted()
                    .toList();
        }
    }
}
