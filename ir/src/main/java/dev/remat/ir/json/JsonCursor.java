package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.json.CorruptJsonException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * Reads JSON value by value, each from its first token, which is ahead, to its last; whatever else stands there is an
 * error with its location.
 */
public final class JsonCursor {
    /** Reads one item of a list. */
    public interface Item<T> {
        T read() throws IOException;
    }

    /** Reads the value of a field. */
    public interface Field {
        void read(String name) throws IOException;
    }

    private final JsonParser json;
    /** Whether the current token is still to be handed out. */
    private boolean peeked;

    public JsonCursor(JsonParser json) {
        this.json = json;
    }

    /** The next field, which must have this name; its value comes next. */
    public JsonCursor field(String name) throws IOException {
        if (next() != JsonToken.FIELD_NAME || !json.currentName().equals(name)) {
            throw corrupt(Kind.FIELD, "the field \"" + name + "\" is expected");
        }
        return this;
    }

    public void beginObject() throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
    }

    public void endObject() throws IOException {
        expect(JsonToken.END_OBJECT, "the end of an object");
    }

    public void beginArray() throws IOException {
        expect(JsonToken.START_ARRAY, "a list");
    }

    public void endArray() throws IOException {
        expect(JsonToken.END_ARRAY, "the end of a list");
    }

    public String text() throws IOException {
        expect(JsonToken.VALUE_STRING, "a string");
        try {
            return json.getText();
        } catch (JsonProcessingException e) {
            throw malformed(e);
        }
    }

    /** A string that must be this one. */
    public void constant(String expected) throws IOException {
        String text = text();
        if (!text.equals(expected)) {
            throw corrupt("\"" + expected + "\" is expected, not \"" + text + "\"");
        }
    }

    /** A string that must be one of these. */
    public String oneOf(List<String> expected) throws IOException {
        String text = text();
        if (!expected.contains(text)) {
            throw corrupt("\"" + String.join("\" or \"", expected) + "\" is expected, not \"" + text + "\"");
        }
        return text;
    }

    public long number() throws IOException {
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        try {
            return json.getLongValue();
        } catch (JsonProcessingException e) {
            throw corrupt("an integer of 64 bits is expected");
        }
    }

    /** A number that is not negative. */
    public long unsigned() throws IOException {
        long number = number();
        if (number < 0) {
            throw corrupt("a number that is not negative is expected");
        }
        return number;
    }

    /** A number from 0 to {@link Integer#MAX_VALUE}. */
    public int index() throws IOException {
        long number = unsigned();
        if (number > Integer.MAX_VALUE) {
            throw corrupt("an index is expected");
        }
        return (int) number;
    }

    /** A number that is finite as a double. */
    public double real() throws IOException {
        JsonToken token = next();
        if (token == null || !token.isNumeric()) {
            throw corrupt("a number is expected");
        }
        try {
            double value = json.getDoubleValue();
            if (Double.isInfinite(value)) {
                throw corrupt("a number up to 1.8e308 is expected");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw malformed(e);
        }
    }

    public boolean flag() throws IOException {
        JsonToken token = next();
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
            throw corrupt("true or false is expected");
        }
        return token == JsonToken.VALUE_TRUE;
    }

    /** Whether the value ahead is a string. */
    public boolean atText() throws IOException {
        return peek() == JsonToken.VALUE_STRING;
    }

    /** Whether the object has another field. */
    public boolean atField() throws IOException {
        return peek() == JsonToken.FIELD_NAME;
    }

    /** Whether the object's next field has this name. */
    public boolean atField(String name) throws IOException {
        return atField() && json.currentName().equals(name);
    }

    /** Takes {@code null}, if that is the value ahead. */
    public boolean takeNull() throws IOException {
        boolean isNull = peek() == JsonToken.VALUE_NULL;
        peeked = !isNull;
        return isNull;
    }

    /** Where the value ahead begins, in a file of this name. */
    public Location location(String file) throws IOException {
        peek();
        JsonLocation at = json.currentTokenLocation();
        return new Location(file, line(at), column(at));
    }

    /** Whether the list has another item. */
    public boolean more() throws IOException {
        return peek() != JsonToken.END_ARRAY;
    }

    /** A list, item by item; the item finds its first token still ahead. */
    public <T> List<T> list(Item<T> item) throws IOException {
        beginArray();
        List<T> items = new ArrayList<>();
        while (more()) {
            items.add(item.read());
        }
        endArray();
        return items;
    }

    /** An object of strings, in order. */
    public SequencedMap<String, String> texts() throws IOException {
        beginObject();
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        while (peek() == JsonToken.FIELD_NAME) {
            next();
            String name = json.currentName();
            texts.put(name, text());
        }
        endObject();
        return texts;
    }

    /** The fields of the current object that are still ahead, in any order, and its end. */
    public void fields(Field field) throws IOException {
        while (peek() == JsonToken.FIELD_NAME) {
            next();
            field.read(json.currentName());
        }
        endObject();
    }

    /** Passes over the value ahead, whatever it is. */
    public void skip() throws IOException {
        next();
        try {
            json.skipChildren();
        } catch (JsonProcessingException e) {
            throw malformed(e);
        }
    }

    /** An error about the field just met. */
    public CorruptJsonException unknownField(String name, List<String> known) {
        return corrupt(Kind.FIELD, "unknown field \"" + name + "\"", "fields here are " + String.join(", ", known));
    }

    /** Requires that nothing follows. */
    public void end() throws IOException {
        if (next() != null) {
            throw corrupt(Kind.SYNTAX, "the end of the file is expected");
        }
    }

    /** An error about the value just taken. */
    public CorruptJsonException corrupt(String problem, String... notes) {
        return corrupt(Kind.VALUE, problem, notes);
    }

    private CorruptJsonException corrupt(Kind kind, String problem, String... notes) {
        return corrupt(kind, json.currentTokenLocation(), problem, notes);
    }

    /** What exceeds a limit comes without a location. */
    private CorruptJsonException malformed(JsonProcessingException e) {
        JsonLocation at = e.getLocation() == null ? json.currentTokenLocation() : e.getLocation();
        return corrupt(Kind.SYNTAX, at, SyntaxProblem.of(e));
    }

    private static CorruptJsonException corrupt(Kind kind, JsonLocation at, String problem, String... notes) {
        return new CorruptJsonException(kind, line(at), column(at), problem, List.of(notes));
    }

    /** Jackson counts from 0 where there is no token. */
    private static int line(JsonLocation at) {
        return Math.max(1, at.getLineNr());
    }

    private static int column(JsonLocation at) {
        return Math.max(1, at.getColumnNr());
    }

    /** What a constructor or parser makes of words of the file. */
    public <T> T parsed(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
            throw corrupt(e.getMessage());
        }
    }

    private void expect(JsonToken token, String what) throws IOException {
        if (next() != token) {
            throw corrupt(what + " is expected");
        }
    }

    private JsonToken peek() throws IOException {
        JsonToken token = peeked ? json.currentToken() : advance();
        peeked = true;
        return token;
    }

    private JsonToken next() throws IOException {
        JsonToken token = peeked ? json.currentToken() : advance();
        peeked = false;
        return token;
    }

    private JsonToken advance() throws IOException {
        try {
            return json.nextToken();
        } catch (JsonProcessingException e) {
            throw malformed(e);
        }
    }
}
