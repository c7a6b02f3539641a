package dev.remat.compiler.layout;

import dev.remat.compiler.layout.PackProblem.Row;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads buffers from comma-separated values: a line with the columns' names, then one a buffer. Columns are {@code id},
 * {@code lower}, {@code upper}, {@code size} and perhaps {@code alignment}, in any order; some go by other names too.
 */
public final class BuffersReader {
    static final String COLUMNS = "E0607";
    static final String VALUE = "E0608";
    private static final int MOST_BUFFERS = 1_000_000;
    private static final int MOST_ERRORS = 20;
    private static final long LARGEST_ALIGNMENT = 1L << 40;

    private enum Column {
        ID("id", "buffer", "buffer_id"),
        LOWER("lower", "start", "begin"),
        UPPER("upper"),
        SIZE("size"),
        ALIGNMENT("alignment");

        private final List<String> names;

        Column(String... names) {
            this.names = List.of(names);
        }

        private static Optional<Column> named(String name) {
            return List.of(values()).stream()
                    .filter(column -> column.names.contains(name))
                    .findFirst();
        }
    }

    /** A part of a line between commas, and the column at which it begins. */
    private record Field(String text, int column) {}

    private final Source source;
    private final List<Diagnostic> errors = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Integer> lineOf = new LinkedHashMap<>();
    private int line;
    private long sum;

    private BuffersReader(Source source) {
        this.source = source;
    }

    /** @throws ModelException with the locations of what is malformed, up to twenty */
    public static PackProblem read(Source source) {
        return new BuffersReader(source).read();
    }

    private PackProblem read() {
        for (String text : (Iterable<String>) source.text().lines()::iterator) {
            line++;
            if (text.isBlank()) {
                continue;
            }
            List<Field> fields = split(text);
            if (columns.isEmpty()) {
                readHeader(fields);
            } else if (fields.size() == columns.size()) {
                readBuffer(fields);
            } else {
                error(VALUE, 1, "expected %d fields, not %d".formatted(columns.size(), fields.size()));
            }
            if (errors.size() >= MOST_ERRORS || rows.size() > MOST_BUFFERS || sum > PackProblem.LARGEST_SUM) {
                break;
            }
        }
        if (columns.isEmpty()) {
            line = 1;
            error(COLUMNS, 1, "expected a line with the columns' names", "such as id,lower,upper,size");
        }
        if (!errors.isEmpty()) {
            throw new ModelException(errors);
        }
        return new PackProblem(rows);
    }

    private static List<Field> split(String text) {
        List<Field> fields = new ArrayList<>();
        int begin = 0;
        while (begin <= text.length()) {
            int comma = text.indexOf(',', begin);
            int end = comma < 0 ? text.length() : comma;
            String field = text.substring(begin, end);
            fields.add(new Field(
                    field.strip(),
                    begin + 1 + field.length() - field.stripLeading().length()));
            begin = end + 1;
        }
        return fields;
    }

    private void readHeader(List<Field> fields) {
        for (Field field : fields) {
            Optional<Column> column = Column.named(field.text());
            if (column.isEmpty()) {
                error(COLUMNS, field.column(), "unknown column '" + field.text() + "'", advice(field.text()));
            } else if (columns.contains(column.get())) {
                error(
                        COLUMNS,
                        field.column(),
                        "second column '" + column.get().names.getFirst() + "'");
            }
            columns.add(column.orElse(Column.ALIGNMENT));
        }
        for (Column column : List.of(Column.ID, Column.LOWER, Column.UPPER, Column.SIZE)) {
            if (errors.isEmpty() && !columns.contains(column)) {
                error(COLUMNS, 1, "there is no column '" + column.names.getFirst() + "'");
            }
        }
        if (!errors.isEmpty()) {
            throw new ModelException(errors);
        }
    }

    private static String advice(String name) {
        return switch (name) {
            case "end" -> "write 'upper', the time from which a buffer is no longer live";
            case "offset" -> "offsets are what is looked for; take the column out";
            case "gaps" -> "buffers with gaps cannot be laid out; give each part a line of its own";
            default -> "columns are id, lower, upper, size and alignment";
        };
    }

    private void readBuffer(List<Field> fields) {
        String id = "";
        long lower = 0;
        long upper = 0;
        long size = 0;
        long alignment = 1;
        int before = errors.size();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            switch (columns.get(i)) {
                case ID -> id = id(field);
                case LOWER -> lower = integer(field);
                case UPPER -> upper = integer(field);
                case SIZE -> size = size(field);
                case ALIGNMENT -> alignment = alignment(field);
            }
        }
        if (errors.size() == before && lower >= upper) {
            error(VALUE, 1, "'%s' is live from %d up to %d, which is no time at all".formatted(id, lower, upper));
        }
        if (errors.size() == before) {
            rows.add(new Row(id, lower, upper, size, alignment));
            checkTotals();
        }
    }

    private void checkTotals() {
        if (rows.size() > MOST_BUFFERS) {
            error(VALUE, 1, "there are more than " + MOST_BUFFERS + " buffers");
        }
        sum += rows.getLast().size() + rows.getLast().alignment();
        if (sum > PackProblem.LARGEST_SUM) {
            error(VALUE, 1, "sizes and alignments add up to more than 2^60");
        }
    }

    private String id(Field field) {
        if (field.text().isEmpty() || field.text().startsWith("\"")) {
            error(VALUE, field.column(), "an id is neither empty nor quoted");
        }
        Integer other = lineOf.putIfAbsent(field.text(), line);
        if (other != null) {
            error(VALUE, field.column(), "there is a buffer '%s' in line %d".formatted(field.text(), other));
        }
        return field.text();
    }

    private long integer(Field field) {
        try {
            return Long.parseLong(field.text());
        } catch (NumberFormatException e) {
            error(VALUE, field.column(), "'" + field.text() + "' is not an integer of 64 bits");
            return 0;
        }
    }

    private long size(Field field) {
        long size = integer(field);
        if (size < 0 || size > PackProblem.LARGEST_SUM) {
            error(VALUE, field.column(), "a size is from 0 to 2^60, not " + size);
            return 0;
        }
        return size;
    }

    private long alignment(Field field) {
        long alignment = integer(field);
        if (alignment < 1 || Long.bitCount(alignment) != 1 || alignment > LARGEST_ALIGNMENT) {
            error(VALUE, field.column(), "an alignment is a power of two up to 2^40, not " + field.text());
            return 1;
        }
        return alignment;
    }

    private void error(String code, int column, String message, String... notes) {
        errors.add(Diagnostic.error(code, new Location(source.file(), line, column), message, notes));
    }
}
