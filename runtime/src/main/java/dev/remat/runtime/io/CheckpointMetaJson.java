package dev.remat.runtime.io;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.remat.ir.json.SyntaxProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** {@code meta.json} of a checkpoint. */
record CheckpointMetaJson(CheckpointMeta meta, String stateFile, long stateBytes, String stateSha256) {
    static final String FORMAT = "remat-checkpoint/1";

    private static final long MAX_BYTES = 1 << 20;
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    CheckpointMetaJson {
        if (!stateFile.matches("state-[0-9]+-[0-9a-f]{12}\\.safetensors")) {
            throw new IllegalArgumentException("not the name of a state file: " + stateFile);
        }
        if (!stateSha256.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("not a SHA-256: " + stateSha256);
        }
    }

    static byte[] print(CheckpointMetaJson json) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(bytes, JsonEncoding.UTF8)) {
            out.setPrettyPrinter(new DefaultPrettyPrinter());
            out.writeStartObject();
            out.writeStringField("format", FORMAT);
            out.writeStringField("modelHash", json.meta.modelHash());
            out.writeNumberField("step", json.meta.step());
            out.writeNumberField("seed", json.meta.seed());
            out.writeStringField("stateFile", json.stateFile);
            out.writeNumberField("stateBytes", json.stateBytes);
            out.writeStringField("stateSha256", json.stateSha256);
            out.writeEndObject();
            out.writeRaw('\n');
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory cannot fail", e);
        }
        return bytes.toByteArray();
    }

    /** @throws CorruptFileException unless it is of this format version and complete */
    static CheckpointMetaJson read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new CorruptFileException(file, "too large for the description of a checkpoint");
        }
        Map<String, String> fields = parse(file, Files.readAllBytes(file));
        String format = fields.getOrDefault("format", "none");
        if (!format.equals(FORMAT)) {
            throw new CorruptFileException(file, "has format " + format + ", this version of remat reads " + FORMAT);
        }
        try {
            CheckpointMeta meta = new CheckpointMeta(
                    require(file, fields, "modelHash"),
                    Long.parseLong(require(file, fields, "step")),
                    Long.parseLong(require(file, fields, "seed")));
            return new CheckpointMetaJson(
                    meta,
                    require(file, fields, "stateFile"),
                    Long.parseLong(require(file, fields, "stateBytes")),
                    require(file, fields, "stateSha256"));
        } catch (IllegalArgumentException e) {
            throw new CorruptFileException(file, "has an impossible value: " + e.getMessage(), e);
        }
    }

    private static Map<String, String> parse(Path file, byte[] bytes) throws IOException {
        Map<String, String> fields = new TreeMap<>();
        try (JsonParser parser = JSON.createParser(bytes)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new CorruptFileException(file, "is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                if (!parser.nextToken().isScalarValue()) {
                    throw new CorruptFileException(file, "field " + field + " is no plain value");
                }
                fields.put(field, parser.getText());
            }
            return fields;
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(file, "is not valid JSON: " + SyntaxProblem.of(e), e);
        }
    }

    private static String require(Path file, Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new CorruptFileException(file, "lacks the field " + name);
        }
        return value;
    }
}
