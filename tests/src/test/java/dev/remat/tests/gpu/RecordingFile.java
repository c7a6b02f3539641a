package dev.remat.tests.gpu;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** What was recorded on the CPU, by name; {@code tests/benchmarks/run_step.cc} tells the format. */
final class RecordingFile implements AutoCloseable {
    private static final String FORMAT = "remat-recording/1";

    private record Entry(long offset, long bytes) {}

    private final Arena memory = Arena.ofConfined();
    private final MemorySegment content;
    private final SequencedMap<String, Entry> entries = new LinkedHashMap<>();

    RecordingFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            content = channel.map(FileChannel.MapMode.READ_ONLY, 0, Files.size(file), memory);
        }
        long at = line(0).length() + 1;
        if (!line(0).equals(FORMAT)) {
            throw new IOException(file + ": is no recording");
        }
        long offset = 0;
        for (String line = line(at); !line.isEmpty(); line = line(at)) {
            int space = line.lastIndexOf(' ');
            long bytes = Long.parseLong(line.substring(space + 1));
            entries.put(line.substring(0, space), new Entry(offset, bytes));
            offset += bytes;
            at += line.getBytes(StandardCharsets.UTF_8).length + 1;
        }
        long begin = at + 1;
        entries.replaceAll((_, entry) -> new Entry(begin + entry.offset(), entry.bytes()));
        if (begin + offset != content.byteSize()) {
            throw new IOException(file + ": is cut short");
        }
    }

    /** Writes entries by name, in their order. */
    static void write(SequencedMap<String, byte[]> entries, Path file) throws IOException {
        StringBuilder header = new StringBuilder(FORMAT).append('\n');
        entries.forEach((name, content) ->
                header.append(name).append(' ').append(content.length).append('\n'));
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
            out.write((header + "\n").getBytes(StandardCharsets.UTF_8));
            for (byte[] content : entries.values()) {
                out.write(content);
            }
        }
    }

    private String line(long from) {
        long end = from;
        while (content.get(ValueLayout.JAVA_BYTE, end) != '\n') {
            end++;
        }
        return new String(content.asSlice(from, end - from).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** The bytes of an entry, aligned for any element. */
    MemorySegment get(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new IllegalArgumentException("the recording lacks " + name);
        }
        MemorySegment copy = memory.allocate(entry.bytes(), Long.BYTES);
        return copy.copyFrom(content.asSlice(entry.offset(), entry.bytes()));
    }

    /** The same as an array. */
    byte[] bytes(String name) {
        return get(name).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Names of all entries, in their order. */
    List<String> names() {
        return List.copyOf(entries.keySet());
    }

    boolean has(String name) {
        return entries.containsKey(name);
    }

    @Override
    public void close() {
        memory.close();
    }
}
