package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Rows as one array a field, which is a fraction of the size of one object a row. */
final class Columns {
    private Columns() {}

    /** Texts by their index in a list of different ones. */
    static final class Words {
        private final Map<String, Integer> indices = new LinkedHashMap<>();

        int index(String word) {
            return indices.computeIfAbsent(word, any -> indices.size());
        }

        void write(JsonGenerator out, String field) throws IOException {
            JsonFields.array(out, field, indices.keySet(), word -> out.writeString(word));
        }
    }

    static <R> void numbers(JsonGenerator out, String field, List<R> rows, ToLongFunction<R> number)
            throws IOException {
        out.writeFieldName(field);
        long[] numbers = rows.stream().mapToLong(number).toArray();
        out.writeArray(numbers, 0, numbers.length);
    }

    /** Small numbers, each a letter from {@code a} on. */
    static <R> void letters(JsonGenerator out, String field, List<R> rows, ToIntFunction<R> number) throws IOException {
        StringBuilder letters = new StringBuilder();
        rows.forEach(row -> letters.append((char) ('a' + number.applyAsInt(row))));
        out.writeStringField(field, letters.toString());
    }

    /** Each but the first as its difference to the one before. */
    static <R> void differences(JsonGenerator out, String field, List<R> rows, ToLongFunction<R> number)
            throws IOException {
        out.writeFieldName(field);
        differences(out, rows, number);
    }

    static <R> void differences(JsonGenerator out, List<R> rows, ToLongFunction<R> number) throws IOException {
        out.writeStartArray();
        long before = 0;
        for (R row : rows) {
            long now = number.applyAsLong(row);
            out.writeNumber(now - before);
            before = now;
        }
        out.writeEndArray();
    }

    /** Lists of numbers, each as {@link #differences}. */
    static <R> void lists(JsonGenerator out, String field, List<R> rows, Function<R, List<Integer>> numbers)
            throws IOException {
        JsonFields.array(out, field, rows, row -> differences(out, numbers.apply(row), Integer::longValue));
    }

    /** Texts that often begin as the one before: how many characters are the same, and what follows. */
    static void texts(JsonGenerator out, String field, List<String> texts) throws IOException {
        out.writeArrayFieldStart(field);
        String before = "";
        for (String text : texts) {
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
