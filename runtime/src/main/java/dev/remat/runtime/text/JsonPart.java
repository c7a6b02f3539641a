package dev.remat.runtime.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.remat.ir.json.JsonText;
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A value of a file of JSON, and where it stands, such as {@code model.merges[3]}.
 *
 * @param value a map, a list, a string, a number, a boolean or null
 */
record JsonPart(Path file, String place, Object value) {
    private static final long MAX_BYTES = 1 << 28;
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** @throws CorruptFileException if it is no JSON, or too large */
    static JsonPart read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new CorruptFileException(file, "too large for a tokenizer");
        }
        try (JsonParser json = JsonText.parser(JSON, Files.readAllBytes(file))) {
            if (json.nextToken() == null) {
                throw new CorruptFileException(file, "ends too soon");
            }
            return new JsonPart(file, "", JsonText.value(json));
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(
                    file, "line " + e.getLocation().getLineNr() + ": is not valid JSON: " + SyntaxProblem.of(e), e);
        }
    }

    /** A field that is there and is not null. */
    Optional<JsonPart> get(String name) {
        Object field = map().get(name);
        return field == null ? Optional.empty() : Optional.of(within(name, field));
    }

    JsonPart need(String name) {
        return get(name).orElseThrow(() -> wrong("has no " + name));
    }

    /** What its field {@code type} says; empty without one. */
    String type() {
        return get("type").map(JsonPart::text).orElse("");
    }

    /** A truth, or what is taken for it where there is none. */
    boolean flag(String name, boolean otherwise) {
        return get(name).map(JsonPart::truth).orElse(otherwise);
    }

    private boolean truth() {
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw wrong("is neither true nor false");
    }

    /** A text, or what is taken for it where there is none. */
    String text(String name, String otherwise) {
        return get(name).map(JsonPart::text).orElse(otherwise);
    }

    String text() {
        if (value instanceof String text) {
            return text;
        }
        throw wrong("is no text");
    }

    /** A number that is not negative. */
    int number() {
        if (value instanceof Integer number && number >= 0) {
            return number;
        }
        throw wrong("is " + (value instanceof Number ? value : "no number") + ", not a number from 0 to 2147483647");
    }

    List<JsonPart> list() {
        if (!(value instanceof List<?> list)) {
            throw wrong("is no list");
        }
        List<JsonPart> parts = new ArrayList<>(list.size());
        for (Object item : list) {
            parts.add(new JsonPart(file, place + "[" + parts.size() + "]", item));
        }
        return parts;
    }

    void forEach(BiConsumer<String, JsonPart> action) {
        map().forEach((name, field) -> action.accept((String) name, within((String) name, field)));
    }

    private Map<?, ?> map() {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw wrong("is no object");
    }

    private JsonPart within(String name, Object field) {
        return new JsonPart(file, place.isEmpty() ? name : place + "." + name, field);
    }

    CorruptFileException wrong(String problem) {
        return new CorruptFileException(file, (place.isEmpty() ? "the file" : place) + " " + problem);
    }

    /** Of what a tokenizer may have, and this remat does not know. */
    CorruptFileException unsupported(String supported) {
        return wrong("is of type " + (type().isEmpty() ? "unknown" : type())
                + ", which is not supported; supported are " + supported);
    }
}
