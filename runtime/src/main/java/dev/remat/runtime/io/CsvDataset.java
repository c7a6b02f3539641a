package dev.remat.runtime.io;

import dev.remat.ir.io.ReadableFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A table with a header, fields parted by commas (RFC 4180, one row a line): a sample a row. The input {@code x} of [B]
 * reads the column {@code x}, one of [B, N] or more extents the columns {@code x.0}, {@code x.1} and so on, row-major.
 * The file is mapped and a row parsed when it is asked for; the last tenth of the rows is held back.
 */
public final class CsvDataset implements Dataset {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final Path file;
    private final Arena arena;
    private final MemorySegment text;
    private final List<String> header;
    private final MappedSize mapped;
    /** Its place in the header, by column. */
    private final Map<String, Integer> places = new HashMap<>();
    /** First byte of every row, and the end of the last. */
    private final long[] starts;

    private CsvDataset(Path file, Arena arena, MemorySegment text) {
        this.file = file;
        this.arena = arena;
        this.text = text;
        this.mapped = new MappedSize(file, text.byteSize());
        long begin = text.byteSize() >= BYTE_ORDER_MARK.length
                        && text.asSlice(0, BYTE_ORDER_MARK.length).mismatch(MemorySegment.ofArray(BYTE_ORDER_MARK)) < 0
                ? BYTE_ORDER_MARK.length
                : 0;
        long rows = lineEnd(begin);
        this.header = fields(begin, 1);
        for (int i = 0; i < header.size(); i++) {
            if (header.get(i).isBlank() || places.put(header.get(i), i) != null) {
                throw corrupt(1, "the column '" + header.get(i) + "' has no name, or another's");
            }
        }
        long[] found = new long[16];
        int count = 0;
        for (long at = Math.min(rows + 1, text.byteSize()); at < text.byteSize(); at = lineEnd(at) + 1) {
            if (count + 1 == found.length) {
                found = Arrays.copyOf(found, 2 * count + 2);
            }
            found[count++] = at;
            found[count] = Math.min(lineEnd(at) + 1, text.byteSize());
        }
        this.starts = Arrays.copyOf(found, count + 1);
    }

    /** @throws CorruptFileException if it has no header, or one with a column twice */
    public static CsvDataset open(Path file) throws IOException {
        ReadableFile.check(file);
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new CsvDataset(file, arena, channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private long lineEnd(long from) {
        long at = from;
        while (at < text.byteSize() && text.get(ValueLayout.JAVA_BYTE, at) != '\n') {
            at++;
        }
        return at;
    }

    /** The fields of the line that begins at a byte. */
    private List<String> fields(long begin, long line) {
        byte[] bytes = text.asSlice(begin, lineEnd(begin) - begin).toArray(ValueLayout.JAVA_BYTE);
        String row = new String(bytes, StandardCharsets.UTF_8);
        row = row.endsWith("\r") ? row.substring(0, row.length() - 1) : row;
        List<String> fields = new ArrayList<>();
        int at = 0;
        while (true) {
            StringBuilder field = new StringBuilder();
            if (at < row.length() && row.charAt(at) == '"') {
                at = quoted(row, at + 1, field, line);
            } else {
                int end = row.indexOf(',', at) < 0 ? row.length() : row.indexOf(',', at);
                field.append(row, at, end);
                at = end;
            }
            fields.add(field.toString().strip());
            if (at == row.length()) {
                return fields;
            }
            if (row.charAt(at) != ',') {
                throw corrupt(line, "a quoted field goes on after its quote");
            }
            at++;
        }
    }

    private int quoted(String row, int from, StringBuilder field, long line) {
        for (int at = from; at < row.length(); at++) {
            if (row.charAt(at) != '"') {
                field.append(row.charAt(at));
            } else if (at + 1 < row.length() && row.charAt(at + 1) == '"') {
                field.append('"');
                at++;
            } else {
                return at + 1;
            }
        }
        throw corrupt(line, "a quote is not closed in its line");
    }

    private CorruptFileException corrupt(long line, String problem) {
        return new CorruptFileException(file, "line " + line + ": " + problem);
    }

    /** Every field that an input reads is looked at here, so that no step fails for one. */
    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        Map<String, int[]> columns = new LinkedHashMap<>();
        inputs.forEach(input -> columns.put(input.name(), columns(input)));
        int rows = starts.length - 1;
        if (rows == 0) {
            throw new DataException(file + " has no rows");
        }
        for (int row = 0; row < rows; row++) {
            List<String> fields = row(row);
            for (InputSpec input : inputs) {
                for (int column : columns.get(input.name())) {
                    value(fields, column, input, row + 2L);
                }
            }
        }
        return Samples.share(new Rows(columns, rows), share, file.toString());
    }

    private int[] columns(InputSpec input) {
        if (input.shape().isEmpty()) {
            throw new DataException(file + " cannot feed the input " + input + " row by row");
        }
        long elements = input.elements() / input.rows();
        List<String> names = input.shape().size() == 1
                ? List.of(input.name())
                : IntStream.range(0, Math.toIntExact(elements))
                        .mapToObj(i -> input.name() + "." + i)
                        .toList();
        return names.stream()
                .mapToInt(name -> {
                    Integer place = places.get(name);
                    if (place == null) {
                        throw new DataException(
                                file + " has no column " + name + " for the input " + input + "; it has " + header);
                    }
                    return place;
                })
                .toArray();
    }

    private List<String> row(int row) {
        List<String> fields = fields(starts[row], row + 2L);
        if (fields.size() != header.size()) {
            throw corrupt(row + 2L, fields.size() + " fields, the header has " + header.size());
        }
        return fields;
    }

    private Number value(List<String> fields, int column, InputSpec input, long line) {
        try {
            return NumberField.parse(fields.get(column), input.dtype());
        } catch (IllegalArgumentException e) {
            throw corrupt(line, "the column " + header.get(column) + " " + e.getMessage());
        }
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        Set<String> read = new HashSet<>();
        inputs.forEach(
                input -> Arrays.stream(columns(input)).mapToObj(header::get).forEach(read::add));
        return header.stream().filter(name -> !read.contains(name)).toList();
    }

    @Override
    public SortedMap<String, String> identity() {
        return new TreeMap<>(Map.of(
                "kind", "csv",
                "bytes", String.valueOf(text.byteSize()),
                "fingerprint", new Fingerprint().add(text).text()));
    }

    @Override
    public void close() {
        arena.close();
    }

    private final class Rows implements Samples {
        private final Map<String, int[]> columns;
        private final long count;

        private Rows(Map<String, int[]> columns, long count) {
            this.columns = columns;
            this.count = count;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            mapped.check();
            List<String> fields = row((int) sample);
            long at = offset;
            for (int column : columns.get(input.name())) {
                NumberField.put(value(fields, column, input, sample + 2), input.dtype(), target, at);
                at += input.dtype().bytes();
            }
        }
    }
}
