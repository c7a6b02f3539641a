package dev.remat.compiler.solve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Walks through a JSON text; whatever is not as expected becomes a diagnostic with its place. Every method that takes a
 * value expects the cursor on its first token and leaves it on its last.
 */
final class JsonCursor {
    static final String SYNTAX = "E0601";
    static final String FIELD = "E0602";
    static final String VALUE = "E0603";

    private static final JsonFactory FACTORY =
            JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    /** Takes a value. */
    interface Reader {
        void read() throws IOException;
    }

    /** Takes the value of a named field. */
    interface FieldReader {
        void read(String field) throws IOException;
    }

    /** Takes the value that fills a text. */
    interface FileReader<T> {
        T read(JsonCursor cursor) throws IOException;
    }

    private final String file;
    private final JsonParser parser;

    private JsonCursor(String file, JsonParser parser) {
        this.file = file;
        this.parser = parser;
    }

    /** @throws ModelException if the text is not what {@code reader} expects */
    static <T> T read(Source source, FileReader<T> reader) {
        try (JsonParser parser = FACTORY.createParser(source.text())) {
            JsonCursor cursor = new JsonCursor(source.file(), parser);
            try {
                parser.nextToken();
                T result = reader.read(cursor);
                if (parser.nextToken() != null) {
                    throw cursor.error(SYNTAX, "expected nothing after the object");
                }
                return result;
            } catch (InputCoercionException e) {
                throw cursor.error(VALUE, "the number does not fit into 64 bits");
            } catch (JsonProcessingException e) {
                throw error(SYNTAX, cursor.location(e.getLocation()), firstLine(e.getOriginalMessage()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Place of the current token. */
    Location location() {
        return location(parser.currentTokenLocation());
    }

    void object(FieldReader fields) throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            parser.nextToken();
            fields.read(field);
        }
    }

    void array(Reader element) throws IOException {
        expect(JsonToken.START_ARRAY, "an array");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            element.read();
        }
    }

    String string() throws IOException {
        expect(JsonToken.VALUE_STRING, "a string");
        return parser.getText();
    }

    /** A string that must be this one. */
    void constant(String expected) throws IOException {
        String text = string();
        if (!text.equals(expected)) {
            throw error(VALUE, "expected '" + expected + "', not '" + text + "'");
        }
    }

    boolean atString() {
        return parser.currentToken() == JsonToken.VALUE_STRING;
    }

    boolean atNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    boolean bool() throws IOException {
        if (!parser.currentToken().isBoolean()) {
            throw error(VALUE, "expected true or false");
        }
        return parser.getBooleanValue();
    }

    /** An integer that is not negative. */
    long count() throws IOException {
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        long value = parser.getLongValue();
        if (value < 0) {
            throw error(VALUE, "expected an integer that is not negative, not " + value);
        }
        return value;
    }

    double number() throws IOException {
        if (!parser.currentToken().isNumeric()) {
            throw error(VALUE, "expected a number");
        }
        return parser.getDoubleValue();
    }

    ModelException unknownField(String field, List<String> known) {
        return error(FIELD, "unknown field '" + field + "'", "fields here are " + String.join(", ", known));
    }

    ModelException error(String code, String message, String... notes) {
        return error(code, location(), message, notes);
    }

    static ModelException error(String code, Location place, String message, String... notes) {
        return new ModelException(List.of(Diagnostic.error(code, place, message, notes)));
    }

    private void expect(JsonToken token, String what) {
        if (parser.currentToken() != token) {
            throw error(VALUE, "expected " + what);
        }
    }

    private Location location(JsonLocation at) {
        return new Location(file, Math.max(1, at.getLineNr()), Math.max(1, at.getColumnNr()));
    }

    /** What follows the first line of Jackson's messages tells of its own settings. */
    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("malformed JSON");
    }
}
