package dev.remat.compiler.solve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.graph.Role;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Writes {@code remat-problem/1}, or {@code remat-problem/2} where there are tiers or something is barred from them, so
 * that {@link ProblemReader} reads the same problem; leaves defaults out.
 */
public final class ProblemWriter {
    private final RematProblem problem;
    private final JsonGenerator json;

    private ProblemWriter(RematProblem problem, JsonGenerator json) {
        this.problem = problem;
        this.json = json;
    }

    /** The problem as one line of JSON. */
    public static String write(RematProblem problem) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            new ProblemWriter(problem, json).write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private void write() throws IOException {
        json.writeStartObject();
        json.writeStringField("format", tiered() ? ProblemReader.TIERED_FORMAT : ProblemReader.FORMAT);
        json.writeStringField("name", problem.name());
        json.writeArrayFieldStart("nodes");
        for (int n = 0; n < problem.nodeCount(); n++) {
            write(problem.node(n));
        }
        json.writeEndArray();
        writeNames("outputs", problem.outputs());
        if (!problem.tiers().isEmpty()) {
            JsonFields.array(json, "tiers", problem.tiers(), tier -> TierJson.write(tier, json));
        }
        json.writeEndObject();
    }

    private boolean tiered() {
        return !problem.tiers().isEmpty()
                || IntStream.range(0, problem.nodeCount())
                        .anyMatch(n -> !problem.node(n).offloadable());
    }

    private void write(ProblemNode node) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", node.id());
        json.writeNumberField("cost", node.cost());
        boolean single =
                node.results().size() == 1 && node.results().getFirst().id().equals(node.id());
        if (single) {
            writeStorage(node.results().getFirst());
        } else {
            JsonFields.objects(json, "results", node.results(), result -> {
                json.writeStringField("id", result.id());
                writeStorage(result);
            });
        }
        writeNames("inputs", node.inputs());
        if (node.role() != Role.FORWARD) {
            json.writeStringField("phase", node.role().label());
        }
        if (!node.recomputable()) {
            json.writeBooleanField("recomputable", false);
        }
        if (node.resident()) {
            json.writeBooleanField("resident", true);
        }
        if (node.workspaceBytes() > 0) {
            json.writeNumberField("workspaceBytes", node.workspaceBytes());
        }
        if (node.pin() != Pin.NONE) {
            json.writeStringField("pin", node.pin().label());
        }
        writeNames("writes", node.writes());
        if (!node.offloadable()) {
            json.writeBooleanField("offloadable", false);
        }
        if (node.home() != ProblemNode.DEVICE) {
            json.writeStringField("home", problem.tiers().get(node.home()).name());
        }
        json.writeEndObject();
    }

    private void writeStorage(ProblemValue value) throws IOException {
        json.writeNumberField("bytes", value.bytes());
        if (value.viewOf() != ProblemValue.NONE) {
            json.writeStringField("viewOf", problem.valueId(value.viewOf()));
        }
        if (value.inPlaceOf() != ProblemValue.NONE) {
            json.writeStringField("inPlaceOf", problem.valueId(value.inPlaceOf()));
        }
    }

    private void writeNames(String field, List<Integer> values) throws IOException {
        if (values.isEmpty()) {
            return;
        }
        JsonFields.array(json, field, values, value -> json.writeString(problem.valueId(value)));
    }
}
