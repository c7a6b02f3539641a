package dev.remat.cli.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes the JSON that Perfetto and Chrome's tracing read: the Trace Event Format. */
public final class TraceEvents {
    private final JsonGenerator out;

    private TraceEvents(JsonGenerator out) {
        this.out = out;
    }

    /** Writes all events of a trace. */
    @FunctionalInterface
    public interface Events {
        void writeTo(TraceEvents out) throws IOException;
    }

    /** A whole trace. */
    public static byte[] bytes(Events events) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(bytes)) {
            out.writeStartObject();
            out.writeStringField("displayTimeUnit", "ms");
            out.writeArrayFieldStart("traceEvents");
            events.writeTo(new TraceEvents(out));
            out.writeEndArray();
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /** For further fields of what {@link #begin} has begun, and events of other kinds. */
    public JsonGenerator json() {
        return out;
    }

    /** @param what has the name: {@code process_name} or {@code thread_name} */
    public void name(int process, String what, int track, String name) throws IOException {
        out.writeStartObject();
        out.writeStringField("ph", "M");
        out.writeStringField("name", what);
        out.writeNumberField("pid", process);
        out.writeNumberField("tid", track);
        out.writeObjectFieldStart("args");
        out.writeStringField("name", name);
        out.writeEndObject();
        out.writeEndObject();
    }

    /**
     * Begins a slice; its object stays open.
     *
     * @param start in microseconds
     */
    public void begin(int process, String name, String category, int track, double start, double duration)
            throws IOException {
        out.writeStartObject();
        out.writeStringField("ph", "X");
        out.writeStringField("name", name);
        out.writeStringField("cat", category);
        out.writeNumberField("pid", process);
        out.writeNumberField("tid", track);
        out.writeNumberField("ts", start);
        out.writeNumberField("dur", duration);
    }
}
