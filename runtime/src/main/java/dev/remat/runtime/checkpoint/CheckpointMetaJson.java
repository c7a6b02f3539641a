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
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.io.CorruptFileException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** {@code meta.json} of a checkpoint. */
record CheckpointMetaJson(CheckpointMeta meta, StateFile state) {
    static final String FILE = "meta.json";

    static final String FORMAT = "remat-checkpoint/2";
    /** What the formats of all versions begin with. */
    private static final String FORMATS = "remat-checkpoint/";

    private static final long MAX_BYTES = 1 << 20;
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Plain values by name, and those of objects by the object's name. */
    private record Fields(Map<String, String> plain, Map<String, Map<String, String>> objects) {
        private String require(Path file, String name) {
            String value = plain.get(name);
            if (value == null) {
                throw new CorruptFileException(file, "lacks the field " + name);
            }
            return value;
        }
    }

    static byte[] print(CheckpointMetaJson json) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(bytes, JsonEncoding.UTF8)) {
            out.setPrettyPrinter(new DefaultPrettyPrinter());
            out.writeStartObject();
            out.writeStringField("format", FORMAT);
            out.writeNumberField("step", json.meta.step());
            for (var part : json.meta.run().parts().entrySet()) {
                out.writeObjectFieldStart(part.getKey().label());
                for (var fact : part.getValue().entrySet()) {
                    out.writeStringField(fact.getKey(), fact.getValue());
                }
                out.writeEndObject();
            }
            out.writeStringField("stateFile", json.state.name());
            out.writeNumberField("stateBytes", json.state.content().bytes());
            out.writeStringField("stateSha256", json.state.content().sha256());
            out.writeEndObject();
            out.writeRaw('\n');
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory cannot fail", e);
        }
        return bytes.toByteArray();
    }

    /** @throws CorruptFileException unless it is of this format version and complete */
    static CheckpointMetaJson read(Path file) throws IOException {
        Fields fields = parse(file);
        String format = fields.plain.getOrDefault("format", "none");
        if (!format.equals(FORMAT)) {
            throw new CorruptFileException(
                    file,
                    "has format " + format + ", this version of remat reads " + FORMAT
                            + (format.startsWith(FORMATS) ? "; tensors of its state can be taken with --init" : ""));
        }
        try {
            RunFacts run = RunFacts.none();
            for (Part part : Part.values()) {
                run = run.with(part, fields.objects.getOrDefault(part.label(), Map.of()));
            }
            return new CheckpointMetaJson(
                    new CheckpointMeta(run, Long.parseLong(fields.require(file, "step"))), state(file, fields));
        } catch (IllegalArgumentException e) {
            throw new CorruptFileException(file, "has an impossible value: " + e.getMessage(), e);
        }
    }

    /** The state of a checkpoint of whatever version; empty if the file describes no checkpoint. */
    static Optional<StateFile> findState(Path file) throws IOException {
        try {
            Fields fields = parse(file);
            boolean ours = fields.plain.getOrDefault("format", "").startsWith(FORMATS);
            return ours ? Optional.of(state(file, fields)) : Optional.empty();
        } catch (CorruptFileException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static StateFile state(Path file, Fields fields) {
        return new StateFile(
                fields.require(file, "stateFile"),
                new HashedFile(
                        Long.parseLong(fields.require(file, "stateBytes")), fields.require(file, "stateSha256")));
    }

    private static Fields parse(Path file) throws IOException {
        ReadableFile.check(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new CorruptFileException(file, "too large for the description of a checkpoint");
        }
        Fields fields = new Fields(new TreeMap<>(), new TreeMap<>());
        try (JsonParser parser = JSON.createParser(Files.readAllBytes(file))) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new CorruptFileException(file, "is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                if (parser.nextToken() == JsonToken.START_OBJECT) {
                    Map<String, String> object = new TreeMap<>();
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        object.put(parser.currentName(), plain(file, parser, parser.nextToken()));
                    }
                    fields.objects.put(field, object);
                } else {
                    fields.plain.put(field, plain(file, parser, parser.currentToken()));
                }
            }
            return fields;
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(file, "is not valid JSON: " + SyntaxProblem.of(e), e);
        }
    }

    private static String plain(Path file, JsonParser parser, JsonToken token) throws IOException {
        if (!token.isScalarValue()) {
            throw new CorruptFileException(file, "field " + parser.currentName() + " is no plain value");
        }
        return parser.getText();
    }
}
