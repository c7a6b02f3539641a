package dev.remat.ir.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileProblemTest {
    @TempDir
    Path folder;

    private static void says(IOException failure, String problem) {
        assertThat(FileProblem.of(failure)).isEqualTo(problem);
        assertThat(FileProblem.withName(failure)).isEqualTo("a/b: " + problem);
    }

    @Test
    void putsIntoWordsWhatHasNone() {
        says(new NoSuchFileException("a/b"), "no such file or directory");
        says(new AccessDeniedException("a/b"), "permission denied");
        says(new NotDirectoryException("a/b"), "is not a folder");
        says(new FileAlreadyExistsException("a/b"), "is there already");
        says(new FileSystemException("a/b"), "cannot be read or written");
    }

    @Test
    void keepsTheReasonThatIsGiven() {
        says(
                new FileSystemException("a/b", null, "Too many levels of symbolic links"),
                "Too many levels of symbolic links");
        says(new AccessDeniedException("a/b", null, "is locked"), "is locked");
        assertThat(FileProblem.withName(new IOException("No space left on device")))
                .isEqualTo("No space left on device");
    }

    @Test
    void suitsWhatTheSystemThrows() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        IOException missing = failure(() -> Files.readString(folder.resolve("none")));
        assertThat(FileProblem.withName(missing)).isEqualTo(folder.resolve("none") + ": no such file or directory");
        IOException listed = failure(() -> {
            try (Stream<Path> inside = Files.list(file)) {
                inside.forEach(_ -> {});
            }
        });
        assertThat(FileProblem.withName(listed)).isEqualTo(file + ": is not a folder");
        IOException deleted = failure(() -> Files.delete(folder));
        assertThat(FileProblem.withName(deleted)).isEqualTo(folder + ": is a folder with something in it");
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static IOException failure(Attempt attempt) {
        try {
            attempt.run();
        } catch (IOException e) {
            return e;
        }
        throw new AssertionError("it does not fail");
    }
}
