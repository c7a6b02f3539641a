package dev.remat.runtime.io;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.ir.json.TokenName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The JSON header of a safetensors file.
 *
 * @param entries in the order of their offsets
 */
record SafetensorsHeader(Map<String, String> metadata, List<Entry> entries) {
    private static final int MAX_RANK = 32;
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** One tensor; offsets count from the end of the header. */
    record Entry(String name, StoredType type, List<Long> shape, long begin, long end) {}

    /**
     * Parses and validates.
     *
     * @param dataBytes number of bytes that follow the header; the tensors must cover them exactly
     * @throws CorruptFileException naming the tensor and what is wrong with it
     */
    static SafetensorsHeader parse(Path file, byte[] json, long dataBytes) {
        Map<String, String> metadata = new LinkedHashMap<>();
        List<Entry> entries = new ArrayList<>();
        try (JsonParser parser = JSON.createParser(json)) {
            expect(file, parser, parser.nextToken(), JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                expect(file, parser, parser.nextToken(), JsonToken.START_OBJECT);
                if (name.equals("__metadata__")) {
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        String key = parser.currentName();
                        expect(file, parser, parser.nextToken(), JsonToken.VALUE_STRING);
                        metadata.put(key, parser.getText());
                    }
                } else {
                    entries.add(parseEntry(file, parser, name));
                }
            }
            if (parser.nextToken() != null) {
                throw new CorruptFileException(file, "the header goes on after its closing brace");
            }
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(file, "the header is not valid JSON: " + SyntaxProblem.of(e), e);
        } catch (IOException e) {
            throw new CorruptFileException(file, "the header is not UTF-8: " + e.getMessage(), e);
        }
        entries.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
        checkLayout(file, entries, dataBytes);
        return new SafetensorsHeader(metadata, List.copyOf(entries));
    }

    private static Entry parseEntry(Path file, JsonParser parser, String name) throws IOException {
        StoredType type = null;
        List<Long> shape = null;
        List<Long> offsets = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            switch (field) {
                case "dtype" -> {
                    expect(file, parser, parser.nextToken(), JsonToken.VALUE_STRING);
                    String label = parser.getText();
                    type = StoredType.ofName(label)
                            .orElseThrow(() -> new CorruptFileException(
                                    file, "tensor " + name + " has the unknown dtype " + label));
                }
                case "shape" -> shape = parseLongs(file, parser);
                case "data_offsets" -> offsets = parseLongs(file, parser);
                default -> throw new CorruptFileException(file, "tensor " + name + " has the unknown field " + field);
            }
        }
        if (type == null || shape == null || offsets == null || offsets.size() != 2) {
            throw new CorruptFileException(file, "tensor " + name + " needs dtype, shape and two data_offsets");
        }
        long begin = offsets.get(0);
        long end = offsets.get(1);
        long bytes;
        try {
            bytes = StoredTensor.byteSize(type, shape);
        } catch (ArithmeticException e) {
            throw new CorruptFileException(file, "tensor " + name + " has the impossible shape " + shape, e);
        }
        if (begin < 0 || end < begin || end - begin != bytes) {
            throw new CorruptFileException(
                    file,
                    "tensor " + name + " of " + type + shape + " takes " + Count.bytes(bytes) + ", but its offsets are "
                            + begin + " to " + end);
        }
        return new Entry(name, type, List.copyOf(shape), begin, end);
    }

    private static List<Long> parseLongs(Path file, JsonParser parser) throws IOException {
        expect(file, parser, parser.nextToken(), JsonToken.START_ARRAY);
        List<Long> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            expect(file, parser, parser.currentToken(), JsonToken.VALUE_NUMBER_INT);
            if (values.size() == MAX_RANK) {
                throw new CorruptFileException(file, "a tensor has more than " + MAX_RANK + " dimensions");
            }
            values.add(parser.getLongValue());
        }
        return values;
    }

    private static void checkLayout(Path file, List<Entry> entries, long dataBytes) {
        long covered = 0;
        for (Entry entry : entries) {
            if (entry.begin() != covered) {
                String problem = entry.begin() < covered ? "inside the one before" : "leaving a gap after " + covered;
                throw new CorruptFileException(
                        file, "tensor " + entry.name() + " begins at " + entry.begin() + ", " + problem);
            }
            covered = entry.end();
        }
        if (covered != dataBytes) {
            throw new CorruptFileException(
                    file,
                    "the tensors take " + Count.bytes(covered) + ", the file has " + dataBytes
                            + (covered > dataBytes ? "; it was cut off" : "; something follows them"));
        }
    }

    private static void expect(Path file, JsonParser parser, JsonToken found, JsonToken wanted) {
        if (found != wanted) {
            throw new CorruptFileException(
                    file,
                    "the header has " + TokenName.of(found) + " where " + TokenName.of(wanted) + " belongs, at byte "
                            + parser.currentTokenLocation().getByteOffset());
        }
    }

    /** UTF-8, padded with spaces to a multiple of eight bytes. */
    byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(bytes, JsonEncoding.UTF8)) {
            out.writeStartObject();
            if (!metadata.isEmpty()) {
                out.writeObjectFieldStart("__metadata__");
                for (Map.Entry<String, String> field : metadata.entrySet()) {
                    out.writeStringField(field.getKey(), field.getValue());
                }
                out.writeEndObject();
            }
            for (Entry entry : entries) {
                out.writeObjectFieldStart(entry.name());
                out.writeStringField("dtype", entry.type().name());
                JsonFields.array(out, "shape", entry.shape(), extent -> out.writeNumber(extent));
                out.writeArrayFieldStart("data_offsets");
                out.writeNumber(entry.begin());
                out.writeNumber(entry.end());
                out.writeEndArray();
                out.writeEndObject();
            }
            out.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory cannot fail", e);
        }
        while (bytes.size() % 8 != 0) {
            bytes.write(' ');
        }
        return bytes.toByteArray();
    }
}
