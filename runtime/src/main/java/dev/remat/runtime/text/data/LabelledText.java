package dev.remat.runtime.text.data;

import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.Fingerprint;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.NumberField;
import dev.remat.runtime.io.Samples;
import dev.remat.runtime.text.Framing.Framed;
import dev.remat.runtime.text.Tokenizer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A table of texts with labels: a sample a row. One text or two of a row become tokens with the tokenizer's special
 * ones, cut and filled up to the T of the inputs of [B, T] that they feed; a mask says what is not filled up, and types
 * which text a token is of. Labels are numbers, or names that are numbered. Inputs of [B] may read other columns of
 * numbers. The last tenth of the rows is held back.
 */
public final class LabelledText implements Dataset {
    /** @param second of one text none */
    private record Row(long line, int[] first, Optional<int[]> second, Map<String, String> values) {}

    private final Path file;
    private final Tokenizer tokenizer;
    private final TextColumns asked;
    private final List<Row> rows = new ArrayList<>();
    private final Set<String> columns = new LinkedHashSet<>();
    private List<String> texts = List.of();
    private final Fingerprint fingerprint = new Fingerprint();
    private final String identity;

    private LabelledText(Path file, Tokenizer tokenizer, TextColumns asked) throws IOException {
        this.file = file;
        this.tokenizer = tokenizer;
        this.asked = asked;
        TextRows.read(file, this::add);
        this.identity = fingerprint.text();
    }

    /**
     * Reads a table as a whole.
     *
     * @throws CorruptFileException if it is damaged, with the line
     * @throws DataException if a row has no text, or one that the tokenizer has no tokens for
     */
    public static LabelledText open(Path file, Tokenizer tokenizer, TextColumns asked) throws IOException {
        return new LabelledText(file, tokenizer, asked);
    }

    private void add(long line, Map<String, String> fields) {
        columns.addAll(fields.keySet());
        if (rows.isEmpty()) {
            texts = asked.texts(columns)
                    .orElseThrow(() -> corrupt(
                            line,
                            "there is no column of text; it has " + String.join(", ", columns)
                                    + "; --text-column names the one, or two with a comma between"));
        }
        Map<String, String> values = new LinkedHashMap<>(fields);
        List<int[]> tokens = new ArrayList<>();
        for (String text : texts) {
            String written = values.remove(text);
            if (written == null) {
                throw corrupt(line, "there is no text " + text + "; it has " + String.join(", ", fields.keySet()));
            }
            try {
                tokens.add(tokenizer.encode(written.getBytes(StandardCharsets.UTF_8)));
            } catch (DataException e) {
                throw corrupt(line, "the text " + text + ": " + e.getMessage());
            }
            fingerprint.add(Arrays.toString(tokens.getLast()));
        }
        values.forEach((name, value) -> fingerprint.add(name).add(value));
        rows.add(new Row(line, tokens.getFirst(), tokens.stream().skip(1).findFirst(), values));
    }

    private CorruptFileException corrupt(long line, String problem) {
        return new CorruptFileException(file, "line " + line + ": " + problem);
    }

    /** Every label that an input reads is looked at here, so that no step fails for one. */
    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        if (rows.isEmpty()) {
            throw new DataException(file + " has no rows");
        }
        Map<String, Feed> feeds = new LinkedHashMap<>();
        inputs.forEach(input -> feeds.put(input.name(), feed(input)));
        return Samples.share(new Fed(feeds), share, file.toString());
    }

    /** Writes what an input reads of a row. */
    private interface Feed {
        void write(int row, MemorySegment target, long offset);
    }

    /** One of the numbers that a text becomes. */
    private interface Place {
        int at(Framed text, int place);
    }

    private Feed feed(InputSpec input) {
        return switch (asked.feed(input.name())) {
            case TextColumns.TOKENS ->
                text(input, (text, i) -> i < text.tokens().length ? text.tokens()[i] : tokenizer.padding());
            case TextColumns.MASK -> text(input, (text, i) -> i < text.tokens().length ? 1 : 0);
            case TextColumns.TYPES -> text(input, (text, i) -> i < text.types().length ? text.types()[i] : 0);
            case TextColumns.LABEL -> column(input, asked.label(columns), "--label-column COLUMN");
            case String column -> column(input, column, "--feed " + input.name() + "=COLUMN");
        };
    }

    private Feed text(InputSpec input, Place number) {
        if (input.shape().size() != 2) {
            throw new DataException("text feeds inputs of [B, T]; the model asks for " + input);
        }
        int length = Math.toIntExact(input.columns());
        tokenizer.framing().frame(rows.getFirst().first(), rows.getFirst().second(), length);
        return (row, target, offset) -> {
            Framed text = tokenizer
                    .framing()
                    .frame(rows.get(row).first(), rows.get(row).second(), length);
            for (int i = 0; i < length; i++) {
                NumberField.put(
                        number.at(text, i),
                        input.dtype(),
                        target,
                        offset + (long) i * input.dtype().bytes());
            }
        };
    }

    private Feed column(InputSpec input, String column, String option) {
        if (!columns.contains(column) || texts.contains(column)) {
            throw new DataException(file + " has no column " + column + " of numbers for the input " + input
                    + "; it has " + String.join(", ", columns) + "; " + option + " names the one");
        }
        if (input.shape().size() != 1) {
            throw new DataException("the column " + column + " feeds inputs of [B]; the model asks for " + input);
        }
        List<String> classes = column.equals(asked.label(columns)) ? classes(input, column) : List.of();
        List<Number> numbers =
                rows.stream().map(row -> number(row, input, column, classes)).toList();
        return (row, target, offset) -> NumberField.put(numbers.get(row), input.dtype(), target, offset);
    }

    /** How the names of labels are numbered: from 0 on; none where they are numbers themselves. */
    public List<String> classes(List<InputSpec> inputs) {
        String label = asked.label(columns);
        return inputs.stream()
                .filter(input -> asked.feed(input.name()).equals(TextColumns.LABEL))
                .findFirst()
                .map(input -> classes(input, label))
                .orElse(List.of());
    }

    /** The names of labels in the order of their numbers; none if they are numbers. */
    private List<String> classes(InputSpec input, String column) {
        if (!asked.classes().isEmpty() || input.dtype().isFloat()) {
            return asked.classes();
        }
        Set<String> names = new TreeSet<>();
        rows.forEach(row -> names.add(row.values().getOrDefault(column, "")));
        names.remove("");
        return names.stream().allMatch(NumberField::isNumber) ? List.of() : List.copyOf(names);
    }

    private Number number(Row row, InputSpec input, String column, List<String> classes) {
        String field = row.values().getOrDefault(column, "");
        try {
            if (classes.isEmpty() || field.isEmpty()) {
                return NumberField.parse(field.strip(), input.dtype());
            }
        } catch (IllegalArgumentException e) {
            throw corrupt(row.line(), "the column " + column + " " + e.getMessage());
        }
        int label = classes.indexOf(field);
        if (label < 0) {
            throw corrupt(
                    row.line(),
                    "the column " + column + " has '" + field + "', which is none of " + String.join(", ", classes));
        }
        return label;
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        Set<String> unread = new LinkedHashSet<>(columns);
        texts.forEach(unread::remove);
        for (InputSpec input : inputs) {
            String feed = asked.feed(input.name());
            unread.remove(feed.equals(TextColumns.LABEL) ? asked.label(columns) : feed);
        }
        return List.copyOf(unread);
    }

    /** That of the tokens and values: another tokenizer makes other data of a text. */
    @Override
    public SortedMap<String, String> identity() {
        return new TreeMap<>(
                Map.of("kind", "labelled text", "rows", String.valueOf(rows.size()), "fingerprint", identity));
    }

    @Override
    public void close() {
        // Nothing is open.
    }

    private final class Fed implements Samples {
        private final Map<String, Feed> feeds;

        private Fed(Map<String, Feed> feeds) {
            this.feeds = feeds;
        }

        @Override
        public long count() {
            return rows.size();
        }

        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            feeds.get(input.name()).write((int) sample, target, offset);
        }
    }
}
