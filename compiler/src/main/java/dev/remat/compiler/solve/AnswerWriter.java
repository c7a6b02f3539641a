package dev.remat.compiler.solve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.OptionalLong;

/**
 * Writes {@code remat-sequence/1}, or for a problem with tiers {@code remat-sequence/2}, whose steps may move values;
 * what is not claimed is null.
 */
public final class AnswerWriter {
    static final String FORMAT = "remat-sequence/1";
    static final String TIERED_FORMAT = "remat-sequence/2";

    private AnswerWriter() {}

    /** The answer to {@code problem} as one line of JSON. */
    public static String write(RematProblem problem, SolveAnswer answer) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("format", problem.tiers().isEmpty() ? FORMAT : TIERED_FORMAT);
            json.writeStringField("problem", answer.problem());
            json.writeStringField("strategy", answer.sequence().strategy());
            write(json, "budgetBytes", answer.budgetBytes());
            json.writeArrayFieldStart("steps");
            for (int t = 0; t < answer.sequence().length(); t++) {
                write(json, problem, answer.sequence().step(t));
            }
            json.writeEndArray();
            write(json, "peakBytes", answer.peakBytes());
            write(json, "cost", answer.cost());
            write(json, "baselineCost", answer.baselineCost());
            if (answer.cost().isPresent() && answer.baselineCost().isPresent()) {
                json.writeNumberField(
                        "overhead",
                        overhead(
                                answer.cost().getAsLong(), answer.baselineCost().getAsLong()));
            }
            if (answer.cost().isPresent() && !problem.tiers().isEmpty()) {
                write(json, Movement.of(problem, answer.sequence()));
            }
            write(json, "lowerBoundCost", answer.lowerBoundCost());
            json.writeStringField("boundScope", answer.boundScope().orElse(null));
            json.writeBooleanField("proven", answer.proven());
            write(json, "floorBytes", answer.floorBytes());
            write(json, "smallestFoundBytes", answer.smallestFoundBytes());
            if (answer.seconds().isPresent()) {
                json.writeNumberField("seconds", answer.seconds().getAsDouble());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Movement movement) throws IOException {
        json.writeObjectFieldStart("transfers");
        json.writeNumberField("storeBytes", movement.storeBytes());
        json.writeNumberField("fetchBytes", movement.fetchBytes());
        json.writeNumberField("exposedNanos", movement.exposedNanos());
        if (movement.interferenceNanos() > 0) {
            json.writeNumberField("interferenceNanos", movement.interferenceNanos());
        }
        JsonFields.objects(json, "tiers", movement.tiers(), tier -> {
            json.writeStringField("name", tier.name());
            json.writeNumberField("peakBytes", tier.peakBytes());
            json.writeNumberField("storeNanos", tier.storeNanos());
            json.writeNumberField("fetchNanos", tier.fetchNanos());
        });
        JsonFields.objects(json, "waits", movement.waits(), wait -> {
            json.writeStringField("for", wait.fetched() ? "fetch" : "store");
            json.writeStringField("value", wait.value());
            json.writeNumberField("nanos", wait.nanos());
        });
        json.writeEndObject();
    }

    /** A node by its name, a transfer as an object. */
    private static void write(JsonGenerator json, RematProblem problem, SequenceStep step) throws IOException {
        switch (step) {
            case SequenceStep.Run run -> json.writeString(problem.nodeId(run.node()));
            case SequenceStep.Store store -> {
                json.writeStartObject();
                json.writeStringField("store", problem.valueId(store.value()));
                json.writeStringField("tier", problem.tiers().get(store.tier()).name());
                json.writeEndObject();
            }
            case SequenceStep.Await await -> writeMove(json, "await", problem.valueId(await.value()));
            case SequenceStep.Fetch fetch -> writeMove(json, "fetch", problem.valueId(fetch.value()));
        }
    }

    private static void writeMove(JsonGenerator json, String what, String value) throws IOException {
        json.writeStartObject();
        json.writeStringField(what, value);
        json.writeEndObject();
    }

    private static double overhead(long cost, long baseline) {
        return baseline == 0 ? 0 : (double) (cost - baseline) / baseline;
    }

    private static void write(JsonGenerator json, String field, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsLong());
        } else {
            json.writeNullField(field);
        }
    }
}
