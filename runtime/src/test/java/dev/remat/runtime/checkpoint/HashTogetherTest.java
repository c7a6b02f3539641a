package dev.remat.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.process.Messages;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.ranks.Transport.Begun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashTogetherTest {
    private static final long BLOCK_BYTES = 10;

    @TempDir
    Path folder;

    /** Messages between threads, by sender and receiver. */
    private record Queues(int rank, int ranks, List<BlockingQueue<byte[]>> ways) implements Messages {
        @Override
        public Begun send(MemorySegment bytes, int to, Channel channel) {
            ways.get(rank * ranks + to).add(bytes.toArray(ValueLayout.JAVA_BYTE));
            return () -> {};
        }

        @Override
        public Begun receive(MemorySegment into, int from, Channel channel) {
            return () -> {
                try {
                    into.copyFrom(
                            MemorySegment.ofArray(ways.get(from * ranks + rank).take()));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            };
        }

        @Override
        public void abort(RuntimeException why) {
            throw why;
        }

        @Override
        public void close() {}
    }

    /** What each rank finds of the file that it sees. */
    private static List<HashedFile> run(List<Path> files) throws Exception {
        int ranks = files.size();
        List<BlockingQueue<byte[]>> ways = Stream.<BlockingQueue<byte[]>>generate(LinkedBlockingQueue::new)
                .limit((long) ranks * ranks)
                .toList();
        try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<Future<HashedFile>> each = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                Queues messages = new Queues(rank, ranks, ways);
                Path file = files.get(rank);
                each.add(threads.submit(() -> {
                    try (ProcessGroup group = ProcessGroup.of(
                            messages, 1, Optional.empty(), Optional.empty(), Optional.empty(), ProcessGroup.SILENCE)) {
                        return HashTogether.run(group, file, BLOCK_BYTES);
                    }
                }));
            }
            List<HashedFile> found = new ArrayList<>();
            for (Future<HashedFile> one : each) {
                found.add(one.get());
            }
            return found;
        }
    }

    private Path file(String name, String content) throws IOException {
        return Files.write(folder.resolve(name), content.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 10, 25, 40, 41})
    void findsWhatOneFinds(int bytes) throws Exception {
        Path file = file(
                "state",
                IntStream.range(0, bytes).mapToObj(k -> String.valueOf(k % 7)).reduce("", String::concat));
        for (int ranks = 2; ranks <= 3; ranks++) {
            assertThat(run(Stream.generate(() -> file).limit(ranks).toList()))
                    .containsOnly(HashedFile.read(file, BLOCK_BYTES));
        }
    }

    /** However alike it is. */
    @Test
    void noRankVouchesForAFileThatAnotherSees() throws Exception {
        Path file = file("state", "0123456789abcdefghij");
        Path copy = file("copy", "0123456789abcdefghiX");
        Files.setLastModifiedTime(copy, Files.getLastModifiedTime(file));
        assertThat(run(List.of(file, copy, file)))
                .containsExactly(
                        HashedFile.read(file, BLOCK_BYTES),
                        HashedFile.read(copy, BLOCK_BYTES),
                        HashedFile.read(file, BLOCK_BYTES));
    }
}
