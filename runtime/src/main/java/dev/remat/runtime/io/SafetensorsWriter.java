package dev.remat.runtime.io;

import dev.remat.ir.io.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Writes safetensors. The same tensors give the same bytes whatever their order: they are sorted by falling element
 * size, which keeps each of them aligned, then by name.
 */
public final class SafetensorsWriter {
    private static final Comparator<StreamedTensor> FILE_ORDER =
            Comparator.<StreamedTensor>comparingInt(t -> -t.type().bytes()).thenComparing(StreamedTensor::name);

    private SafetensorsWriter() {}

    /**
     * Writes a file whole or not at all.
     *
     * @throws IllegalArgumentException if two tensors share a name or one is named {@code __metadata__}
     */
    public static void write(Path file, Map<String, String> metadata, List<? extends StreamedTensor> tensors)
            throws IOException {
        AtomicFile.write(file, channel -> write(channel, metadata, tensors));
    }

    /**
     * Streams to a channel.
     *
     * @throws IllegalArgumentException if two tensors share a name or one is named {@code __metadata__}
     */
    public static void write(
            WritableByteChannel out, Map<String, String> metadata, List<? extends StreamedTensor> tensors)
            throws IOException {
        List<StreamedTensor> sorted = sorted(tensors);
        writeFully(out, ByteBuffer.wrap(header(metadata, sorted)));
        for (StreamedTensor tensor : sorted) {
            tensor.writeTo(out);
        }
    }

    /** What a file begins with: the length of the header, and the header. */
    public static byte[] header(Map<String, String> metadata, List<? extends StreamedTensor> tensors) {
        byte[] json = new SafetensorsHeader(new TreeMap<>(metadata), entries(sorted(tensors))).toJson();
        return ByteBuffer.allocate(Long.BYTES + json.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length)
                .put(json)
                .array();
    }

    /**
     * At which byte of the file each tensor begins, by name.
     *
     * @throws IllegalArgumentException as {@link #write} does
     */
    public static SequencedMap<String, Long> offsets(
            Map<String, String> metadata, List<? extends StreamedTensor> tensors) {
        long data = header(metadata, tensors).length;
        SequencedMap<String, Long> offsets = new LinkedHashMap<>();
        entries(sorted(tensors)).forEach(entry -> offsets.put(entry.name(), data + entry.begin()));
        return offsets;
    }

    private static List<StreamedTensor> sorted(List<? extends StreamedTensor> tensors) {
        return tensors.stream()
                .<StreamedTensor>map(tensor -> tensor)
                .sorted(FILE_ORDER)
                .toList();
    }

    private static List<SafetensorsHeader.Entry> entries(List<StreamedTensor> sorted) {
        List<SafetensorsHeader.Entry> entries = new ArrayList<>();
        long offset = 0;
        Set<String> names = new TreeSet<>(Set.of("__metadata__"));
        for (StreamedTensor tensor : sorted) {
            if (!names.add(tensor.name())) {
                throw new IllegalArgumentException("the name " + tensor.name() + " is taken");
            }
            long end = Math.addExact(offset, tensor.byteSize());
            entries.add(new SafetensorsHeader.Entry(tensor.name(), tensor.type(), tensor.shape(), offset, end));
            offset = end;
        }
        return entries;
    }

    private static void writeFully(WritableByteChannel out, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            out.write(buffer);
        }
    }
}
