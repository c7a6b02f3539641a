package dev.remat.tests.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A log's {@code steps.csv}, which must end with a whole line of as many fields as there are columns. */
public record LogTable(List<String> columns, List<List<String>> rows) {
    public static LogTable read(Path folder) throws IOException {
        String text = Files.readString(folder.resolve("steps.csv"));
        if (!text.endsWith("\n")) {
            throw new AssertionError("the last line is torn: " + text);
        }
        List<List<String>> lines =
                text.lines().map(line -> Arrays.asList(line.split(",", -1))).toList();
        List<List<String>> rows = lines.subList(1, lines.size());
        for (List<String> row : rows) {
            if (row.size() != lines.getFirst().size()) {
                throw new AssertionError(row + " does not suit " + lines.getFirst());
            }
        }
        return new LogTable(lines.getFirst(), rows);
    }

    public List<Long> steps() {
        return column("step").stream().map(Long::valueOf).toList();
    }

    public List<String> column(String name) {
        int at = columns.indexOf(name);
        if (at < 0) {
            throw new AssertionError(name + " is not among " + columns);
        }
        return rows.stream().map(row -> row.get(at)).toList();
    }
}
