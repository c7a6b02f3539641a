package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Fields whose values are lists, or null where there is none. */
public final class JsonFields {
    private JsonFields() {}

    /** Writes what stands for one item. */
    @FunctionalInterface
    public interface Each<T> {
        void write(T item) throws IOException;
    }

    /** A list of what {@code each} writes for its items. */
    public static <T> void array(JsonGenerator out, String field, Iterable<T> items, Each<T> each) throws IOException {
        out.writeArrayFieldStart(field);
        for (T item : items) {
            each.write(item);
        }
        out.writeEndArray();
    }

    /** A list of objects, whose fields {@code each} writes. */
    public static <T> void objects(JsonGenerator out, String field, Iterable<T> items, Each<T> each)
            throws IOException {
        array(out, field, items, item -> object(out, item, each));
    }

    /** An object whose fields {@code each} writes, or null. */
    public static <T> void object(JsonGenerator out, String field, Optional<T> value, Each<T> each) throws IOException {
        out.writeFieldName(field);
        if (value.isPresent()) {
            object(out, value.get(), each);
        } else {
            out.writeNull();
        }
    }

    private static <T> void object(JsonGenerator out, T value, Each<T> each) throws IOException {
        out.writeStartObject();
        each.write(value);
        out.writeEndObject();
    }

    /** A number, or null. */
    public static void optional(JsonGenerator out, String field, OptionalDouble value) throws IOException {
        if (value.isPresent()) {
            out.writeNumberField(field, value.getAsDouble());
        } else {
            out.writeNullField(field);
        }
    }

    /** A number, or null. */
    public static void optional(JsonGenerator out, String field, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            out.writeNumberField(field, value.getAsLong());
        } else {
            out.writeNullField(field);
        }
    }
}
