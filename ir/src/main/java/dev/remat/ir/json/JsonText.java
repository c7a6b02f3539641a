package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How files are read and written: UTF-8 alone, bounded nesting and strings, no field twice, streams left open. */
public final class JsonText {
    private static final int MAX_NESTING = 16;
    private static final int MAX_STRING = 1 << 16;
    private static final int MAX_DIGITS = 1000;

    public static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxStringLength(MAX_STRING)
                    .maxNameLength(MAX_STRING)
                    .maxNumberLength(MAX_DIGITS)
                    .build())
            .build();

    private static final byte[] BYTE_ORDER_MARK = "\uFEFF".getBytes(StandardCharsets.UTF_8);

    private JsonText() {}

    /** A parser of {@code content}, which may begin with a byte order mark as whatever people have edited may. */
    public static JsonParser parser(JsonFactory factory, byte[] content) throws IOException {
        int mark = BYTE_ORDER_MARK.length;
        boolean isMarked = content.length >= mark && Arrays.equals(content, 0, mark, BYTE_ORDER_MARK, 0, mark);
        int begin = isMarked ? mark : 0;
        return factory.createParser(content, begin, content.length - begin);
    }

    /**
     * The value that begins at the parser's token, to its end.
     *
     * @return a map in the order of its fields, a list, a string, a number, a boolean or null
     */
    public static Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    json.nextToken();
                    fields.put(name, value(json));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(json));
                }
                yield items;
            }
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT -> json.getNumberValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new IllegalStateException("no value begins at " + json.currentToken());
        };
    }
}
