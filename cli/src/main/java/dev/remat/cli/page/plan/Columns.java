package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.graph.Value;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Rows as one array a field, which is a fraction of the size of one object a row. */
record Columns<R>(JsonGenerator out, List<R> rows) {
    /** Texts by their index in a list of different ones. */
    static final class Words {
        private final Map<String, Integer> indices = new LinkedHashMap<>();

        int index(String word) {
            return indices.computeIfAbsent(word, any -> indices.size());
        }

        void write(JsonGenerator out, String field) throws IOException {
            JsonFields.array(out, field, indices.keySet(), out::writeString);
        }
    }

    /** An object whose fields are columns of the rows. */
    static <R> void write(JsonGenerator out, String field, List<R> rows, JsonFields.Each<Columns<R>> each)
            throws IOException {
        out.writeObjectFieldStart(field);
        each.write(new Columns<>(out, rows));
        out.writeEndObject();
    }

    void numbers(String field, ToLongFunction<R> number) throws IOException {
        out.writeFieldName(field);
        long[] numbers = rows.stream().mapToLong(number).toArray();
        out.writeArray(numbers, 0, numbers.length);
    }

    /** Values by their places in the graph; -1 where there is none. */
    void values(String field, Function<R, Optional<Value>> value) throws IOException {
        numbers(field, row -> value.apply(row).map(each -> each.id().index()).orElse(-1));
    }

    /** Small numbers, each a letter from {@code a} on. */
    void letters(String field, ToIntFunction<R> number) throws IOException {
        StringBuilder letters = new StringBuilder();
        rows.forEach(row -> letters.append((char) ('a' + number.applyAsInt(row))));
        out.writeStringField(field, letters.toString());
    }

    /** Each but the first as its difference to the one before. */
    void differences(String field, ToLongFunction<R> number) throws IOException {
        out.writeFieldName(field);
        writeDifferences(out, rows, number);
    }

    private static <T> void writeDifferences(JsonGenerator out, List<T> rows, ToLongFunction<T> number)
            throws IOException {
        out.writeStartArray();
        long before = 0;
        for (T row : rows) {
            long now = number.applyAsLong(row);
            out.writeNumber(now - before);
            before = now;
        }
        out.writeEndArray();
    }

    /** Lists of values by their places in the graph, each as {@link #differences}. */
    void lists(String field, Function<R, List<Value>> values) throws IOException {
        JsonFields.array(
                out,
                field,
                rows,
                row -> writeDifferences(
                        out, values.apply(row), each -> each.id().index()));
    }

    /** Texts that often begin as the one before: how many characters are the same, and what follows. */
    void texts(String field, Function<R, String> texts) throws IOException {
        out.writeArrayFieldStart(field);
        String before = "";
        for (R row : rows) {
            String text = texts.apply(row);
            int same = 0;
            while (same < Math.min(before.length(), text.length()) && before.charAt(same) == text.charAt(same)) {
                same++;
            }
            out.writeNumber(same);
            out.writeString(text.substring(same));
            before = text;
        }
        out.writeEndArray();
    }
}
