package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Map;
import java.util.SequencedMap;

/** Measured numbers for programs, in as few digits as tell them from every other value of their type. */
public final class ScalarJson {
    private ScalarJson() {}

    /** A field with a number; null where it is none. */
    public static void write(JsonGenerator out, String name, double value) throws IOException {
        if (!Double.isFinite(value)) {
            out.writeNullField(name);
        } else if ((float) value == value) {
            out.writeNumberField(name, (float) value);
        } else {
            out.writeNumberField(name, value);
        }
    }

    /** A field with an object of numbers, left away if there are none. */
    static void write(JsonGenerator out, String name, SequencedMap<String, Double> values) throws IOException {
        if (!values.isEmpty()) {
            out.writeObjectFieldStart(name);
            for (Map.Entry<String, Double> value : values.entrySet()) {
                write(out, value.getKey(), value.getValue());
            }
            out.writeEndObject();
        }
    }
}
