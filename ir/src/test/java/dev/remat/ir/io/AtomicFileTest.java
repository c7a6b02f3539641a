package dev.remat.ir.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.io.AtomicFile.Content;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path folder;

    @Test
    void createsAndReplaces() throws IOException {
        Path file = folder.resolve("f");
        AtomicFile.write(file, "first, longer".getBytes(UTF_8));
        AtomicFile.write(file, "second".getBytes(UTF_8));
        assertThat(file).hasContent("second");
        assertThat(folder).isDirectoryContaining(f -> f.equals(file));
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void keepsTheOldContentWhenWritingFailsHalfway() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "old");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
                    channel.write(ByteBuffer.wrap("ne".getBytes(UTF_8)));
                    throw new IOException("disk full");
                }))
                .hasMessage(file + ": disk full");
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void ofTwoThatBelongTogetherBothAreWrittenOrNeither() throws IOException {
        Path first = Files.writeString(folder.resolve("f"), "old");
        Path second = folder.resolve("s");
        Content fine = AtomicFile.bytes("new".getBytes(UTF_8));
        Content failing = channel -> {
            channel.write(ByteBuffer.wrap("ne".getBytes(UTF_8)));
            throw new IOException("disk full");
        };
        assertThatThrownBy(() -> AtomicFile.writeBoth(first, failing, second, fine))
                .hasMessage(first + ": disk full");
        assertThatThrownBy(() -> AtomicFile.writeBoth(first, fine, second, failing))
                .hasMessage(second + ": disk full");
        assertThat(first).hasContent("old");
        assertThat(folder.toFile().list()).containsExactly("f");
        AtomicFile.writeBoth(first, fine, second, fine);
        assertThat(first).hasContent("new");
        assertThat(second).hasContent("new");
        assertThat(folder.toFile().list()).hasSize(2);
    }

    private Path temporary(String file) {
        return folder.resolve("." + file + "." + ProcessHandle.current().pid() + "-"
                + Thread.currentThread().threadId() + ".tmp");
    }

    /** A killed process of the same number leaves its temporary file; neither the content nor a later write suffers. */
    @Test
    void removesWhatAKilledProcessLeft() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "old");
        Files.writeString(temporary("f"), "a torn and rather long remainder");
        assertThat(file).hasContent("old");
        AtomicFile.write(file, "new".getBytes(UTF_8));
        assertThat(file).hasContent("new");
        assertThat(folder.toFile().list()).containsExactly("f");
    }

    /** Whoever may write to the folder knows the temporary file's name, and must not choose what is written over. */
    @Test
    void leavesAloneWhatIsPlantedUnderTheTemporaryName() throws Exception {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        Path link = Files.createSymbolicLink(temporary("f"), victim);
        Path nowhere = Files.createSymbolicLink(temporary("g"), folder.resolve("made"));
        Path pipe = temporary("h");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (String name : List.of("f", "g", "h")) {
            Path file = folder.resolve(name);
            AtomicFile.check(file);
            AtomicFile.write(file, "new".getBytes(UTF_8));
            assertThat(file).hasContent("new");
        }
        assertThat(victim).hasContent("mine");
        assertThat(List.of(link, nowhere)).allMatch(Files::isSymbolicLink);
        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder(
                        "f",
                        "g",
                        "h",
                        "victim",
                        link.getFileName().toString(),
                        nowhere.getFileName().toString(),
                        pipe.getFileName().toString());
    }

    /** The same for the names of files that are remat's choice, where a link of the user's own would stay. */
    @Test
    void replacesALinkOfItsOwnName() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
        Path nowhere = Files.createSymbolicLink(folder.resolve("nowhere"), folder.resolve("made"));
        for (Path file : List.of(link, nowhere)) {
            AtomicFile.writeOwn(file, "new".getBytes(UTF_8));
            assertThat(file).isRegularFile().hasContent("new");
            assertThat(file).matches(f -> !Files.isSymbolicLink(f));
        }
        assertThat(victim).hasContent("mine");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("link", "nowhere", "victim");
    }

    /** Two threads that write one file at a time leave one of the two contents. */
    @Test
    void keepsWritersApart() throws Exception {
        Path file = folder.resolve("f");
        CyclicBarrier halfway = new CyclicBarrier(2);
        try (ExecutorService writers = Executors.newFixedThreadPool(2)) {
            List<Future<?>> writes = Stream.of("aaaa", "bbbb")
                    .<Future<?>>map(text -> writers.submit(() -> {
                        AtomicFile.write(file, channel -> writeInHalves(channel, text, halfway));
                        return null;
                    }))
                    .toList();
            for (Future<?> write : writes) {
                write.get();
            }
        }
        assertThat(Files.readString(file)).isIn("aaaa", "bbbb");
        assertThat(folder.toFile().list()).hasSize(1);
    }

    private static void writeInHalves(FileChannel channel, String text, CyclicBarrier halfway) throws IOException {
        channel.write(ByteBuffer.wrap(text.substring(0, 2).getBytes(UTF_8)));
        try {
            halfway.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IOException(e);
        }
        channel.write(ByteBuffer.wrap(text.substring(2).getBytes(UTF_8)));
    }

    /** The temporary file's name would have more than the 255 bytes that file systems allow. */
    private Path unwritable() {
        return folder.resolve("f".repeat(250));
    }

    @Test
    void failsInAMissingDirectoryAndWhereNoFileCanBeCreated() {
        for (ThrowingCallable attempt : attempts(folder.resolve("no/f"))) {
            assertThatThrownBy(attempt)
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessage(folder.resolve("no").toString());
        }
        for (ThrowingCallable attempt : attempts(unwritable())) {
            assertThatThrownBy(attempt)
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageStartingWith(unwritable() + ": ");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void replacesNoFolder() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("d"));
        for (ThrowingCallable attempt : attempts(directory)) {
            assertThatThrownBy(attempt).hasMessage(directory + ": is a directory");
        }
        assertThat(folder.toFile().list()).containsExactly("d");
    }

    /** A named pipe, as in {@code -o >(gzip > answer.gz)}: its reader gets all, and it is still there. */
    @Test
    void writesIntoAPipe() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Path link = Files.createSymbolicLink(folder.resolve("link"), pipe);
        for (Path place : List.of(pipe, link)) {
            AtomicFile.check(place);
            try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
                Future<String> received = reader.submit(() -> Files.readString(pipe));
                AtomicFile.write(place, "for the reader".getBytes(UTF_8));
                assertThat(received.get()).isEqualTo("for the reader");
            }
        }
        assertThat(Files.isRegularFile(pipe)).isFalse();
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("pipe", "link");
    }

    @Test
    void replacesWhatALinkLeadsTo() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("second"));
        Files.createSymbolicLink(folder.resolve("second"), Path.of("elsewhere", "f"));
        for (String content : List.of("made", "replaced")) {
            AtomicFile.check(link);
            AtomicFile.write(link, content.getBytes(UTF_8));
            assertThat(link).isSymbolicLink().hasContent(content);
            assertThat(elsewhere.toFile().list()).containsExactly("f");
        }
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("elsewhere", "link", "second");
    }

    @Test
    void refusesLinksInACircleAndToFolders() throws IOException {
        Path circle = Files.createSymbolicLink(folder.resolve("a"), Path.of("b"));
        Files.createSymbolicLink(folder.resolve("b"), Path.of("a"));
        for (ThrowingCallable attempt : attempts(circle)) {
            assertThatThrownBy(attempt).hasMessage(circle + ": is a link that leads nowhere");
        }
        Path toFolder = Files.createSymbolicLink(folder.resolve("c"), folder);
        for (ThrowingCallable attempt : attempts(toFolder)) {
            assertThatThrownBy(attempt).hasMessage(folder + ": is a directory");
        }
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a", "b", "c");
    }

    /** A check fails as the write that it goes before. */
    private static List<ThrowingCallable> attempts(Path file) {
        return List.of(() -> AtomicFile.check(file), () -> AtomicFile.write(file, new byte[0]));
    }

    @Test
    void aCheckThatSucceedsLeavesEverythingAsItWas() throws IOException {
        Path file = folder.resolve("f");
        AtomicFile.check(file);
        assertThat(folder).isEmptyDirectory();
        Files.writeString(file, "old");
        AtomicFile.check(file);
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).containsExactly("f");
    }

    /** No process has so high a number; this one has its own. */
    @Test
    void whatAKilledWriterLeftIsRemovedByTheNext() throws IOException {
        Path file = folder.resolve("plan.json");
        long alive = ProcessHandle.current().pid();
        Path abandoned = Files.writeString(folder.resolve(".plan.json.99999999-1.tmp"), "torn");
        List<Path> others = List.of(
                folder.resolve(".plan.json." + alive + "-999.tmp"),
                folder.resolve(".other.json.99999999-1.tmp"),
                folder.resolve(".plan.json.mine.tmp"),
                folder.resolve("plan.json.99999999-1.tmp"));
        for (Path other : others) {
            Files.writeString(other, "mine");
        }
        AtomicFile.write(file, "{}".getBytes(UTF_8));
        assertThat(abandoned).doesNotExist();
        assertThat(file).hasContent("{}");
        for (Path other : others) {
            assertThat(other).hasContent("mine");
        }
    }
}
