package dev.remat.ir.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path folder;

    @Test
    void createsAndReplaces() throws IOException {
        Path file = folder.resolve("f");
        AtomicFile.write(file, "first, longer".getBytes());
        AtomicFile.write(file, "second".getBytes());
        assertThat(file).hasContent("second");
        assertThat(folder).isDirectoryContaining(f -> f.equals(file));
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void keepsTheOldContentWhenWritingFailsHalfway() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "old");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
            channel.write(ByteBuffer.wrap("ne".getBytes()));
            throw new IOException("disk full");
        })).hasMessage("disk full");
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).hasSize(1);
    }

    /** A killed process leaves its temporary file; neither the content nor a later write may suffer from it. */
    @Test
    void ignoresWhatAKilledProcessLeft() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "old");
        String writer = ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId();
        Files.writeString(folder.resolve(".f." + writer + ".tmp"), "a torn and rather long remainder");
        assertThat(file).hasContent("old");
        AtomicFile.write(file, "new".getBytes());
        assertThat(file).hasContent("new");
    }

    /** Two threads that write one file at a time leave one of the two contents. */
    @Test
    void keepsWritersApart() throws Exception {
        Path file = folder.resolve("f");
        CyclicBarrier halfway = new CyclicBarrier(2);
        try (ExecutorService writers = Executors.newFixedThreadPool(2)) {
            List<Future<?>> writes = Stream.of("aaaa", "bbbb").<Future<?>>map(text -> writers.submit(() -> {
                AtomicFile.write(file, channel -> writeInHalves(channel, text, halfway));
                return null;
            })).toList();
            for (Future<?> write : writes) {
                write.get();
            }
        }
        assertThat(Files.readString(file)).isIn("aaaa", "bbbb");
        assertThat(folder.toFile().list()).hasSize(1);
    }

    private static void writeInHalves(FileChannel channel, String text, CyclicBarrier halfway) throws IOException {
        channel.write(ByteBuffer.wrap(text.substring(0, 2).getBytes()));
        try {
            halfway.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IOException(e);
        }
        channel.write(ByteBuffer.wrap(text.substring(2).getBytes()));
    }

    @Test
    void failsInAMissingDirectory() {
        assertThatThrownBy(() -> AtomicFile.write(folder.resolve("no/f"), new byte[0]))
                .isInstanceOf(NoSuchFileException.class).hasMessage(folder.resolve("no").toString());
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void doesNotReplaceADirectory() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("d"));
        assertThatThrownBy(() -> AtomicFile.write(directory, new byte[0])).hasMessage(directory + ": is a directory");
        assertThat(folder.toFile().list()).containsExactly("d");
    }
}
