package dev.remat.runtime.checkpoint;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.json.JsonText;
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.io.CorruptFileException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A JSON file of plain values, lists of these, and one level of objects, as descriptions of runs are.
 *
 * @param plain by name
 * @param lists by name
 * @param objects those of objects by the object's name
 */
record PlainJson(
        Path file,
        Map<String, String> plain,
        Map<String, List<String>> lists,
        Map<String, Map<String, String>> objects) {
    private static final long MAX_BYTES = 1 << 24;
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Writes the fields of an object. */
    @FunctionalInterface
    interface Fields {
        void write(JsonGenerator out) throws IOException;
    }

    static byte[] print(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(bytes, JsonEncoding.UTF8)) {
            out.setPrettyPrinter(new DefaultPrettyPrinter());
            out.writeStartObject();
            fields.write(out);
            out.writeEndObject();
            out.writeRaw('\n');
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory cannot fail", e);
        }
        return bytes.toByteArray();
    }

    /** Writes an object for each part. */
    static void write(JsonGenerator out, RunFacts run) throws IOException {
        for (var part : run.parts().entrySet()) {
            out.writeObjectFieldStart(part.getKey().label());
            for (var fact : part.getValue().entrySet()) {
                out.writeStringField(fact.getKey(), fact.getValue());
            }
            out.writeEndObject();
        }
    }

    /** @throws CorruptFileException if it is none */
    static PlainJson parse(Path file) throws IOException {
        ReadableFile.check(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new CorruptFileException(file, "too large for the description of a checkpoint");
        }
        PlainJson json = new PlainJson(file, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
        try (JsonParser parser = JsonText.parser(JSON, Files.readAllBytes(file))) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new CorruptFileException(file, "is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                if (parser.nextToken() == JsonToken.START_OBJECT) {
                    Map<String, String> object = new TreeMap<>();
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        object.put(parser.currentName(), value(file, parser, parser.nextToken()));
                    }
                    json.objects.put(field, object);
                } else if (parser.currentToken() == JsonToken.START_ARRAY) {
                    List<String> list = new ArrayList<>();
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        list.add(value(file, parser, parser.currentToken()));
                    }
                    json.lists.put(field, list);
                } else {
                    json.plain.put(field, value(file, parser, parser.currentToken()));
                }
            }
            return json;
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(file, "is not valid JSON: " + SyntaxProblem.of(e), e);
        }
    }

    private static String value(Path file, JsonParser parser, JsonToken token) throws IOException {
        if (!token.isScalarValue()) {
            throw new CorruptFileException(file, "field " + parser.currentName() + " is no plain value");
        }
        return parser.getText();
    }

    /** @throws CorruptFileException if there is no such field */
    String require(String name) {
        String value = plain.get(name);
        if (value == null) {
            throw new CorruptFileException(file, "lacks the field " + name);
        }
        return value;
    }

    /** @throws IllegalArgumentException if the field is no whole number */
    long requireWhole(String name) {
        return RunFacts.whole(name, require(name));
    }

    /**
     * What {@link #write} wrote.
     *
     * @throws CorruptFileException if a run cannot be so
     */
    RunFacts run() {
        Map<Part, SortedMap<String, String>> parts = new EnumMap<>(Part.class);
        for (Part part : Part.values()) {
            if (objects.containsKey(part.label())) {
                parts.put(part, new TreeMap<>(objects.get(part.label())));
            }
        }
        try {
            return new RunFacts(parts);
        } catch (IllegalArgumentException e) {
            throw new CorruptFileException(file, "has an impossible value: " + e.getMessage(), e);
        }
    }
}
