package dev.remat.runtime.log;

import dev.remat.runtime.io.CorruptFileException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a run has logged, read back.
 *
 * @param steps in ascending order
 * @param columns all but the steps, in the order of the table
 * @param isTorn whether the table ends within a row: its process was killed, or writes it just now
 */
public record StepsTable(List<Long> steps, List<Column> columns, boolean isTorn) {
    private static final long MOST_BYTES = 1L << 30;
    private static final int MOST_CHARACTERS_OF_A_LINE = 1 << 20;
    private static final String STEP = "step";

    /**
     * What was measured under one name; steps without such a value are left out.
     *
     * @param rows indices of steps that have a value, ascending
     * @param values of these; may be infinite or no number
     */
    public record Column(String name, List<Integer> rows, List<Double> values) {
        public Column {
            rows = List.copyOf(rows);
            values = List.copyOf(values);
        }

        /** The same without the steps in front of one, by its index. */
        public Column from(int row) {
            int first = (int) rows.stream().takeWhile(each -> each < row).count();
            return new Column(name, rows.subList(first, rows.size()), values.subList(first, values.size()));
        }
    }

    public StepsTable {
        steps = List.copyOf(steps);
        columns = List.copyOf(columns);
    }

    /**
     * Reads the table of a folder that {@code train --log} wrote to.
     *
     * @throws NoSuchFileException if there is no such folder
     * @throws FileSystemException if it has no log
     * @throws CorruptFileException if the table is damaged, with the line
     */
    public static StepsTable read(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        Path file = folder.resolve(StepsCsv.FILE);
        if (!Files.isRegularFile(file)) {
            throw new FileSystemException(
                    folder.toString(), null, "holds no " + StepsCsv.FILE + ", which 'remat train --log DIR' writes");
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new CorruptFileException(file, "has more than " + MOST_BYTES + " bytes");
        }
        return new Reader(file).read();
    }

    /** The values of a name. */
    public Optional<Column> column(String name) {
        return columns.stream().filter(column -> column.name().equals(name)).findFirst();
    }

    private static final class Reader {
        private final Path file;
        private final List<Long> steps = new ArrayList<>();
        private final List<List<Integer>> rows = new ArrayList<>();
        private final List<List<Double>> values = new ArrayList<>();
        private int line;
        private boolean torn;

        Reader(Path file) {
            this.file = file;
        }

        StepsTable read() throws IOException {
            CharsetDecoder utf8 = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT);
            try (BufferedReader in = new BufferedReader(new InputStreamReader(Files.newInputStream(file), utf8))) {
                List<String> names = names(in);
                for (String row = next(in); row != null; row = next(in)) {
                    row(row, names);
                }
                List<Column> columns = new ArrayList<>();
                for (int c = 0; c < names.size(); c++) {
                    columns.add(new Column(names.get(c), rows.get(c), values.get(c)));
                }
                return new StepsTable(steps, columns, torn);
            } catch (MalformedInputException _) {
                throw corrupt("is no UTF-8 text");
            }
        }

        /** The next line that has an end; null behind it. A line without one was being written. */
        private String next(BufferedReader in) throws IOException {
            line++;
            StringBuilder text = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c == '\n') {
                    int end = text.length();
                    return text.substring(0, end > 0 && text.charAt(end - 1) == '\r' ? end - 1 : end);
                }
                if (text.length() == MOST_CHARACTERS_OF_A_LINE) {
                    throw corrupt("has more than " + MOST_CHARACTERS_OF_A_LINE + " characters");
                }
                text.append((char) c);
            }
            torn = !text.isEmpty();
            return null;
        }

        private List<String> names(BufferedReader in) throws IOException {
            String header = next(in);
            List<String> names = header == null ? List.of() : List.of(header.split(",", -1));
            if (names.isEmpty() || !names.getFirst().equals(STEP)) {
                throw corrupt("is no header of a log, which begins with 'step'");
            }
            Set<String> seen = new HashSet<>();
            for (String name : names) {
                if (name.isBlank() || !seen.add(name)) {
                    throw corrupt(name.isBlank() ? "names a column with nothing" : "names two columns '" + name + "'");
                }
            }
            names.stream().skip(1).forEach(_ -> {
                rows.add(new ArrayList<>());
                values.add(new ArrayList<>());
            });
            return names.subList(1, names.size());
        }

        private void row(String text, List<String> names) {
            String[] fields = text.split(",", -1);
            if (fields.length != names.size() + 1) {
                throw corrupt("has " + fields.length + " fields, and the header " + (names.size() + 1));
            }
            long step = step(fields[0]);
            if (!steps.isEmpty() && step <= steps.getLast()) {
                throw corrupt("is step " + step + ", behind step " + steps.getLast());
            }
            for (int c = 0; c < names.size(); c++) {
                if (!fields[c + 1].isEmpty()) {
                    rows.get(c).add(steps.size());
                    values.get(c).add(number(fields[c + 1], names.get(c)));
                }
            }
            steps.add(step);
        }

        private long step(String text) {
            if (!text.matches("[0-9]{1,18}")) {
                throw corrupt("begins with '" + beginning(text) + "', which is no number of a step");
            }
            return Long.parseLong(text);
        }

        private double number(String text, String column) {
            boolean plain = text.matches("-?[0-9.]+([eE][-+]?[0-9]+)?");
            if (plain || Arrays.asList("NaN", "Infinity", "-Infinity").contains(text)) {
                try {
                    return Double.parseDouble(text);
                } catch (NumberFormatException _) {
                    // Two points, say.
                }
            }
            throw corrupt("has '" + beginning(text) + "' in the column " + column + ", which is no number");
        }

        private static String beginning(String text) {
            return text.length() <= 40 ? text : text.substring(0, 40) + "…";
        }

        private CorruptFileException corrupt(String problem) {
            return new CorruptFileException(file, "line " + line + " " + problem);
        }
    }
}
