package dev.remat.cli.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.view.Kind;
import dev.remat.compiler.view.PlanView;
import dev.remat.compiler.view.StepFacts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A planned step in the JSON that Perfetto and Chrome's tracing read (the Trace Event Format): every kernel a slice of
 * its predicted time, runs of recomputations as slices of a track below, and counters of live bytes by kind. Times are
 * in microseconds; where costs are no times, a unit counts as one.
 */
public record PlanTrace(PlanView view) {
    private static final int PROCESS = 1;
    private static final int KERNELS = 1;
    private static final int RECOMPUTATION = 2;

    public byte[] bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(bytes)) {
            out.writeStartObject();
            out.writeStringField("displayTimeUnit", "ms");
            out.writeArrayFieldStart("traceEvents");
            name(out, "process_name", 0, ViewText.title(view.compilation()));
            name(out, "thread_name", KERNELS, "kernels");
            name(out, "thread_name", RECOMPUTATION, "recomputation");
            writeSteps(out);
            out.writeEndArray();
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    private void writeSteps(JsonGenerator out) throws IOException {
        long start = 0;
        long againSince = 0;
        int again = 0;
        for (int k = 0; k < view.stepCount(); k++) {
            StepFacts step = view.step(k);
            counters(out, step, start);
            kernel(out, step, start);
            if (step.again()) {
                againSince = again == 0 ? start : againSince;
                again++;
            }
            start += step.cost();
            boolean ends = k + 1 == view.stepCount()
                    || !view.compilation().plan().steps().get(k + 1).recomputed();
            if (again > 0 && ends) {
                begin(out, "recompute " + again, "recomputation", RECOMPUTATION, againSince);
                out.writeNumberField("dur", micros(start - againSince));
                out.writeEndObject();
                again = 0;
            }
        }
    }

    private void kernel(JsonGenerator out, StepFacts step, long start) throws IOException {
        begin(out, step.name(), step.again() ? "recomputation" : step.role().label(), KERNELS, start);
        out.writeNumberField("dur", micros(step.cost()));
        out.writeObjectFieldStart("args");
        out.writeNumberField("step", step.index());
        out.writeStringField("op", step.op());
        out.writeStringField("phase", step.role().label());
        out.writeStringField("at", step.location().toString());
        out.writeStringField("layer", step.scope());
        out.writeEndObject();
        out.writeEndObject();
    }

    private void counters(JsonGenerator out, StepFacts step, long start) throws IOException {
        out.writeStartObject();
        out.writeStringField("ph", "C");
        out.writeStringField("name", "live bytes");
        out.writeNumberField("pid", PROCESS);
        out.writeNumberField("ts", micros(start));
        out.writeObjectFieldStart("args");
        for (Kind kind : Kind.values()) {
            out.writeNumberField(kind.label(), step.live().getOrDefault(kind, 0L));
        }
        out.writeEndObject();
        out.writeEndObject();
    }

    /** A slice up to its length; the object stays open. */
    private void begin(JsonGenerator out, String name, String category, int track, long start) throws IOException {
        out.writeStartObject();
        out.writeStringField("ph", "X");
        out.writeStringField("name", name);
        out.writeStringField("cat", category);
        out.writeNumberField("pid", PROCESS);
        out.writeNumberField("tid", track);
        out.writeNumberField("ts", micros(start));
    }

    private static void name(JsonGenerator out, String what, int track, String name) throws IOException {
        out.writeStartObject();
        out.writeStringField("ph", "M");
        out.writeStringField("name", what);
        out.writeNumberField("pid", PROCESS);
        out.writeNumberField("tid", track);
        out.writeObjectFieldStart("args");
        out.writeStringField("name", name);
        out.writeEndObject();
        out.writeEndObject();
    }

    private double micros(long cost) {
        return view.compilation().costs().isTime() ? cost / 1e3 : cost;
    }
}
