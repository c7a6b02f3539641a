package dev.remat.runtime.log;

import dev.remat.ir.io.AtomicFile;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A table of a run: a header, then a row a step, in as few digits as tell numbers from every other of their type. A
 * field is empty where its step has no such value, as between two evaluations.
 */
final class StepsCsv implements AutoCloseable {
    static final String FILE = "steps.csv";

    private static final String STEP = "step";
    private static final Pattern ROW = Pattern.compile("[0-9]{1,18},.*");

    private final Path file;
    private List<String> columns;
    /** From earlier processes, until the first step of this one. */
    private List<String> rows;

    private Optional<AppendedFile> out = Optional.empty();

    private StepsCsv(Path file, List<String> columns, List<String> rows) {
        this.file = file;
        this.columns = columns;
        this.rows = rows;
    }

    /**
     * Looks at what is there, and changes nothing.
     *
     * @throws FileSystemException if the folder has something else of the name
     * @throws CorruptFileException if a line is no row
     */
    static StepsCsv open(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (Files.notExists(file)) {
            return new StepsCsv(file, List.of(), List.of());
        }
        String text = Files.isRegularFile(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
        // A line without an end was being written when the machine went down.
        List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .map(line -> new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                .toList();
        if (lines.isEmpty() || !lines.getFirst().startsWith(STEP + ",")) {
            throw new FileSystemException(
                    file.toString(), null, "is no log of remat and would be replaced; log to another folder");
        }
        List<String> rows = lines.subList(1, lines.size());
        for (int i = 0; i < rows.size(); i++) {
            if (!ROW.matcher(rows.get(i)).matches()) {
                throw new CorruptFileException(file, "line " + (i + 2) + " is no step of a log");
            }
        }
        List<String> columns = List.of(lines.getFirst().split(",", -1));
        return new StepsCsv(file, columns.subList(1, columns.size()), rows);
    }

    /** The last step that an earlier process has logged. */
    Optional<Long> lastStep() {
        return rows.isEmpty() ? Optional.empty() : Optional.of(step(rows.getLast()));
    }

    /** Forgets what an earlier process has logged. */
    void clear() {
        columns = List.of();
        rows = List.of();
    }

    /** Adds a row. The first one takes the place of those that are there from its step on. */
    void append(long step, SequencedMap<String, Number> values) throws IOException {
        if (out.isEmpty() || !columns.containsAll(values.keySet())) {
            begin(step, values);
        }
        String fields = columns.stream()
                .map(column -> Optional.ofNullable(values.get(column))
                        .map(StepsCsv::text)
                        .orElse(""))
                .collect(Collectors.joining(","));
        out.orElseThrow().append(bytes(step + "," + fields));
    }

    /** Writes the table anew up to a step, with columns that are new behind those that are there. */
    private void begin(long step, SequencedMap<String, Number> values) throws IOException {
        if (out.isPresent()) {
            close();
            rows = open(file.getParent()).rows;
        }
        List<String> all = new ArrayList<>(columns);
        values.keySet().stream().filter(name -> !columns.contains(name)).forEach(all::add);
        String empty = ",".repeat(all.size() - columns.size());
        StringBuilder table = new StringBuilder(STEP + "," + String.join(",", all) + "\n");
        for (String row : rows) {
            if (step(row) < step) {
                table.append(row).append(empty).append('\n');
            }
        }
        AtomicFile.writeOwn(file, table.toString().getBytes(StandardCharsets.UTF_8));
        columns = List.copyOf(all);
        rows = List.of();
        out = Optional.of(AppendedFile.behind(file));
    }

    private static long step(String row) {
        return Long.parseLong(row.substring(0, row.indexOf(',')));
    }

    private static String text(Number value) {
        if (value instanceof Double real) {
            float narrow = real.floatValue();
            return narrow == real ? Float.toString(narrow) : real.toString();
        }
        return value.toString();
    }

    private static byte[] bytes(String line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        if (out.isPresent()) {
            out.get().close();
        }
    }
}
