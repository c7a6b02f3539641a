package dev.remat.cli.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.compiler.account.OtherDecision;
import dev.remat.compiler.account.PlanDiff;
import dev.remat.compiler.account.PlanDiff.Sum;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.compiler.account.PlanDigest.Holding;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The fields of {@code diff --json}. */
public record DiffJson(PlanDiff diff) {
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-diff/1");
        write(out, "a", diff.a());
        write(out, "b", diff.b());
        JsonFields.objects(out, "changes", diff.changes(), change -> {
            out.writeStringField("value", change.value());
            out.writeNumberField("bytes", change.bytes());
            write(out, "a", change.a(), change.otherwiseInA());
            write(out, "b", change.b(), change.otherwiseInB());
            out.writeNumberField("millis", change.millis());
        });
        out.writeObjectFieldStart("sums");
        write(out, "keptOnlyInA", diff.keptOnlyInA());
        write(out, "keptOnlyInB", diff.keptOnlyInB());
        out.writeNumberField("recomputeMillis", diff.recomputeMillis());
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, String field, PlanDigest plan) throws IOException {
        out.writeObjectFieldStart(field);
        out.writeStringField("model", plan.model());
        out.writeStringField("modelHash", plan.modelHash());
        Json.writeSymbols(out, plan.symbols(), plan.microBatches());
        out.writeStringField("target", plan.target());
        out.writeStringField("strategy", plan.strategy());
        JsonFields.optional(out, "budgetBytes", plan.budgetBytes());
        out.writeNumberField("arenaBytes", plan.arenaBytes());
        out.writeNumberField("peakLiveBytes", plan.peakBytes());
        out.writeNumberField("parameterBytes", plan.atPeak().parameters());
        out.writeNumberField("optimizerBytes", plan.atPeak().optimizer());
        out.writeNumberField("gradientBytesAtPeak", plan.atPeak().gradients());
        out.writeNumberField("activationBytesAtPeak", plan.atPeak().activations());
        out.writeNumberField("workspaceBytesAtPeak", plan.atPeak().workspace());
        JsonFields.optional(out, "estimatedMillis", plan.millis());
        out.writeNumberField("overhead", plan.overhead());
        out.writeStringField("costModel", plan.costModel());
        out.writeNumberField("kernels", plan.kernels());
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, String field, Optional<Holding> holding, List<OtherDecision> otherwise)
            throws IOException {
        JsonFields.object(out, field, holding, held -> {
            out.writeStringField("state", held.state().label());
            out.writeNumberField("times", held.times());
            JsonFields.optional(out, "millis", held.millis());
            for (OtherDecision other : otherwise) {
                write(out, other);
            }
        });
    }

    /** Null where it is not possible. */
    private static void write(JsonGenerator out, OtherDecision other) throws IOException {
        String field = switch (other.change()) {
            case KEEP -> "ifKept";
            case DROP -> "ifDropped";
        };
        JsonFields.object(out, field, other.difference(), difference -> {
            out.writeNumberField("cost", difference.cost());
            JsonFields.optional(out, "millis", difference.millis());
            out.writeNumberField("peakBytes", difference.peakBytes());
        });
    }

    private static void write(JsonGenerator out, String field, Sum sum) throws IOException {
        out.writeObjectFieldStart(field);
        out.writeNumberField("tensors", sum.tensors());
        out.writeNumberField("bytes", sum.bytes());
        out.writeEndObject();
    }
}
