package dev.remat.runtime.checkpoint;

import dev.remat.ir.io.FileProblem;
import dev.remat.ir.io.TemporaryFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StreamedTensor;
import dev.remat.runtime.process.ProcessGroup;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The folder that processes save to together. Each writes what it has of the state, or its part of what all have, into
 * one file, which becomes byte for byte the one that a single process would write. The first holds the folder, and
 * gives the file its place when all have written, synced and hashed. Where others do not see the file, it gets what
 * they have, and writes alone.
 */
public final class SharedRunFolder implements CheckpointSink {
    /** Tells a file from another of its name in a folder that only looks the same. */
    private static final int MARK_BYTES = 16;

    private final ProcessGroup group;
    private final Path folder;
    private final Optional<RunFolder> held;

    /**
     * @param folder as this process reaches it
     * @param held by the first process, and by no other
     */
    public SharedRunFolder(ProcessGroup group, Path folder, Optional<RunFolder> held) {
        this.group = group;
        this.folder = folder;
        this.held = held;
    }

    @Override
    public void save(CheckpointMeta meta, List<? extends StreamedTensor> state) throws IOException {
        if (held.isPresent()) {
            held.get().save(meta, fresh -> fill(fresh, state));
        } else {
            join(state);
        }
        // Nobody goes on as if there were a checkpoint before there is one.
        group.any(false);
    }

    private HashedFile fill(TemporaryFile fresh, List<? extends StreamedTensor> state) throws IOException {
        byte[] mark = new byte[MARK_BYTES];
        new SecureRandom().nextBytes(mark);
        try {
            fresh.channel().write(ByteBuffer.wrap(mark), 0);
            byte[] name = fresh.path().getFileName().toString().getBytes(StandardCharsets.UTF_8);
            group.ofFirst(ByteBuffer.allocate(MARK_BYTES + name.length)
                    .put(mark)
                    .put(name)
                    .array());
            if (group.any(false)) {
                return HashedFile.write(
                        fresh, folder, channel -> SafetensorsWriter.write(channel, RunFolder.METADATA, state));
            }
            fresh.channel().write(ByteBuffer.wrap(SafetensorsWriter.header(RunFolder.METADATA, state)), 0);
            return write(fresh.path(), state);
        } catch (IOException e) {
            throw FileProblem.named(folder, e);
        }
    }

    private void join(List<? extends StreamedTensor> state) throws IOException {
        byte[] said = group.ofFirst(new byte[0]);
        byte[] mark = Arrays.copyOf(said, MARK_BYTES);
        Path file =
                folder.resolve(Path.of(new String(said, MARK_BYTES, said.length - MARK_BYTES, StandardCharsets.UTF_8))
                        .getFileName());
        if (group.any(!Arrays.equals(mark, markOf(file)))) {
            // Reads all in the order in which the first does, which gets it by that.
            SafetensorsWriter.write(Channels.newChannel(OutputStream.nullOutputStream()), Map.of(), state);
            return;
        }
        try {
            write(file, state);
        } catch (IOException e) {
            throw FileProblem.named(folder, e);
        }
    }

    /** What a file begins with; other bytes if there is none that can be written to. */
    private static byte[] markOf(Path file) {
        ByteBuffer mark = ByteBuffer.allocate(MARK_BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.read(mark, 0);
            return mark.array();
        } catch (IOException e) {
            return new byte[0];
        }
    }

    /** Writes what this process does of the state, and hashes each so many-th block of what all have written. */
    private HashedFile write(Path file, List<? extends StreamedTensor> state) throws IOException {
        Map<String, Long> offsets = SafetensorsWriter.offsets(RunFolder.METADATA, state);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (StreamedTensor tensor : state) {
                long begin = offsets.get(tensor.name());
                tensor.streamPart(
                        group.rank(), group.ranks(), (at, piece) -> write(channel, piece.asByteBuffer(), begin + at));
            }
            channel.force(true);
        }
        group.any(false);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long bytes = channel.size();
            int count = Math.toIntExact(HashedFile.count(bytes, HashedFile.BLOCK_BYTES));
            List<String> own = new ArrayList<>();
            for (int block = group.rank(); block < count; block += group.ranks()) {
                own.add(HashedFile.block(channel, block, bytes, HashedFile.BLOCK_BYTES));
            }
            List<List<String>> all = group.all(String.join(" ", own).getBytes(StandardCharsets.UTF_8)).stream()
                    .map(said -> List.of(new String(said, StandardCharsets.UTF_8).split(" ")))
                    .toList();
            List<String> blocks = new ArrayList<>();
            for (int block = 0; block < count; block++) {
                blocks.add(all.get(block % all.size()).get(block / all.size()));
            }
            return new HashedFile(bytes, HashedFile.BLOCK_BYTES, blocks);
        }
    }

    private static void write(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
        long begin = at - bytes.position();
        while (bytes.hasRemaining()) {
            channel.write(bytes, begin + bytes.position());
        }
    }
}
