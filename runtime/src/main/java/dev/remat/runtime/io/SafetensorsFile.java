package dev.remat.runtime.io;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.ReadableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An open safetensors file, memory-mapped: eight bytes of header length, a JSON header, then the tensors' bytes. */
public final class SafetensorsFile implements AutoCloseable {
    /** The reference implementation's limit. */
    static final long MAX_HEADER_BYTES = 100_000_000;

    private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Arena arena;
    private final FileChannel channel;
    private final Map<String, String> metadata;
    private final Map<String, StoredTensor> tensors;

    private SafetensorsFile(
            Arena arena, FileChannel channel, Map<String, String> metadata, Map<String, StoredTensor> tensors) {
        this.arena = arena;
        this.channel = channel;
        this.metadata = metadata;
        this.tensors = tensors;
    }

    /**
     * Maps and validates a file; no tensor is copied.
     *
     * @throws CorruptFileException if header, offsets and size do not fit together
     * @throws IOException if the file cannot be read
     */
    public static SafetensorsFile open(Path file) throws IOException {
        ReadableFile.check(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofShared();
        try {
            long size = channel.size();
            if (size < Long.BYTES) {
                throw new CorruptFileException(file, "too short for a safetensors file (" + Count.bytes(size) + ")");
            }
            MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, size, arena);
            byte[] json = header(file, bytes);
            MemorySegment data = bytes.asSlice(Long.BYTES + json.length);
            SafetensorsHeader header = SafetensorsHeader.parse(file, json, data.byteSize());
            Map<String, StoredTensor> tensors = new LinkedHashMap<>();
            for (SafetensorsHeader.Entry entry : header.entries()) {
                MemorySegment slice = data.asSlice(entry.begin(), entry.end() - entry.begin());
                FileRange origin = new FileRange(channel, size - data.byteSize() + entry.begin(), slice.byteSize());
                tensors.put(
                        entry.name(),
                        new StoredTensor(entry.name(), entry.type(), entry.shape(), slice, Optional.of(origin)));
            }
            return new SafetensorsFile(arena, channel, header.metadata(), tensors);
        } catch (IOException | RuntimeException e) {
            try (channel) {
                arena.close();
            }
            throw e;
        }
    }

    private static byte[] header(Path file, MemorySegment bytes) {
        long size = bytes.byteSize();
        long headerBytes = bytes.get(LENGTH, 0);
        if (headerBytes < 2 || headerBytes > Math.min(MAX_HEADER_BYTES, size - Long.BYTES)) {
            throw new CorruptFileException(
                    file,
                    "no safetensors file, or cut off: header of " + Count.bytes(headerBytes) + ", file of " + size);
        }
        return bytes.asSlice(Long.BYTES, headerBytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Names of the tensors of a damaged file that have bytes in a part of it, as its header says; none where that
     * itself is damaged.
     *
     * @param size of the file before, in bytes
     */
    public static List<String> tensorsWithin(Path file, long size, long from, long to) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                Arena arena = Arena.ofConfined()) {
            if (channel.size() < Long.BYTES) {
                return List.of();
            }
            byte[] json = header(file, channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
            long data = Long.BYTES + json.length;
            return SafetensorsHeader.parse(file, json, size - data).entries().stream()
                    .filter(entry -> data + entry.begin() < to && data + entry.end() > from)
                    .map(SafetensorsHeader.Entry::name)
                    .toList();
        } catch (CorruptFileException e) {
            return List.of();
        }
    }

    /** The file's {@code __metadata__}, empty if it has none. */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(metadata);
    }

    /** All tensors in file order. */
    public List<StoredTensor> tensors() {
        return List.copyOf(tensors.values());
    }

    public Optional<StoredTensor> find(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    /** Unmaps and closes the file; tensors read from it are no longer accessible. */
    @Override
    public void close() {
        try (channel) {
            arena.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a file that was read alone cannot fail to close", e);
        }
    }
}
