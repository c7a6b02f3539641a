package dev.remat.cli.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.OffloadedTensor;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.PlanAccount.Relief;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.StepFacts;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.account.ValueFacts.Consumer;
import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.target.CostModel;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SequencedMap;

/** The fields of {@code explain --json}. */
public record ExplainJson(PlanAccount account) {
    private static final int MOST_RELIEFS = 20;

    /** Every value asked for, with all that was found by it. */
    public void values(JsonGenerator out, SequencedMap<String, List<ValueId>> asked) throws IOException {
        head(out);
        out.writeArrayFieldStart("values");
        for (List<ValueId> found : asked.values()) {
            if (found.size() == 1) {
                write(out, account.value(found.getFirst()));
            }
        }
        out.writeEndArray();
        out.writeArrayFieldStart("ambiguous");
        for (Map.Entry<String, List<ValueId>> each : asked.entrySet()) {
            if (each.getValue().size() > 1) {
                writeMatches(out, each.getKey(), each.getValue());
            }
        }
        out.writeEndArray();
    }

    public void step(JsonGenerator out, int step) throws IOException {
        head(out);
        out.writeObjectFieldStart("step");
        StepFacts facts = account.step(step);
        writeStep(out, facts);
        writeTensors(out, "reads", facts.reads());
        writeTensors(out, "writes", facts.writes());
        writeTensors(out, "dies", facts.dies());
        writeTensors(out, "tensors", account.stays(step));
        out.writeEndObject();
    }

    public void peak(JsonGenerator out) throws IOException {
        head(out);
        out.writeObjectFieldStart("peak");
        writeStep(out, account.step(account.peakStep()));
        writeTensors(out, "tensors", account.stays(account.peakStep()));
        out.writeNumberField("plannedBytes", account.compilation().evaluation().peakBytes());
        out.writeArrayFieldStart("reliefs");
        for (Relief relief : account.reliefs(MOST_RELIEFS)) {
            out.writeStartObject();
            out.writeStringField("value", relief.value().name());
            writeChange(out, relief.price());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void head(JsonGenerator out) throws IOException {
        Compilation plan = account.compilation();
        out.writeStringField("schema", "remat-explain/1");
        out.writeStringField("model", plan.plan().model());
        Json.writeSymbols(out, plan.model().extents(), plan.microBatches());
        out.writeStringField("target", plan.plan().target());
        out.writeStringField("strategy", plan.sequence().strategy());
        writeOptional(out, "budgetBytes", plan.search().budgetBytes());
        out.writeStringField("costModel", plan.costs().name());
        out.writeNumberField("steps", account.stepCount());
        Json.writeSections(out, plan.plan());
    }

    private void writeMatches(JsonGenerator out, String asked, List<ValueId> found) throws IOException {
        out.writeStartObject();
        out.writeStringField("asked", asked);
        out.writeArrayFieldStart("matches");
        for (ValueId id : found) {
            ValueFacts value = account.unpriced(id);
            out.writeStartObject();
            out.writeStringField("value", value.value().name());
            out.writeNumberField("bytes", value.bytes());
            out.writeStringField("at", value.location().toString());
            out.writeStringField("state", value.state().label());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void write(JsonGenerator out, ValueFacts value) throws IOException {
        out.writeStartObject();
        out.writeStringField("value", value.value().name());
        out.writeStringField("dtype", value.value().type().dtype().name().toLowerCase(Locale.ROOT));
        out.writeArrayFieldStart("shape");
        for (long extent : value.value().type().shape().toArray()) {
            out.writeNumber(extent);
        }
        out.writeEndArray();
        out.writeNumberField("bytes", value.bytes());
        out.writeStringField("at", value.location().toString());
        out.writeStringField("scope", value.scope());
        out.writeStringField("phase", value.role().label());
        out.writeStringField("op", value.producer());
        writeCost(out, value.cost());
        out.writeStringField("state", value.state().label());
        out.writeStringField("storage", value.storage().map(Value::name).orElse(null));
        out.writeStringField("reason", value.reason().orElse(null));
        out.writeNumberField("recomputations", value.recomputations());
        out.writeArrayFieldStart("consumers");
        for (Consumer consumer : value.consumers()) {
            out.writeStartObject();
            out.writeStringField("value", consumer.value().name());
            out.writeStringField("op", consumer.op());
            out.writeStringField("phase", consumer.role().label());
            out.writeStringField("at", consumer.location().toString());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeArrayFieldStart("stays");
        for (Stay stay : value.stays()) {
            out.writeStartObject();
            out.writeNumberField("first", stay.first());
            out.writeNumberField("last", stay.last());
            out.writeNumberField("offset", stay.offset());
            out.writeNumberField("bytes", stay.bytes());
            out.writeStringField("kind", stay.kind().label());
            out.writeBooleanField("again", stay.again());
            out.writeEndObject();
        }
        out.writeEndArray();
        if (value.recomputation().isPresent()) {
            out.writeObjectFieldStart("recomputation");
            writeNames(out, "runs", value.recomputation().get().runs());
            writeNames(out, "from", value.recomputation().get().from());
            out.writeEndObject();
        } else {
            out.writeNullField("recomputation");
        }
        out.writeArrayFieldStart("moves");
        for (OffloadedTensor move : value.moves()) {
            out.writeStartObject();
            out.writeStringField("place", move.place());
            out.writeStringField(
                    "storedAfter", move.storedAfter().map(Value::name).orElse(null));
            out.writeStringField("fetchedBefore", move.fetchedBefore().name());
            out.writeNumberField("bytes", move.bytes());
            out.writeNumberField("exposedMillis", move.exposedNanos() / 1e6);
            out.writeNumberField("laneMillis", move.laneNanos() / 1e6);
            out.writeNumberField("awayMillis", move.awayNanos() / 1e6);
            out.writeEndObject();
        }
        out.writeEndArray();
        writePrice(out, "price", value.price());
        if (!value.moves().isEmpty()) {
            writePrice(out, "recomputedInstead", value.instead());
        }
        out.writeEndObject();
    }

    private void writePrice(JsonGenerator out, String field, Optional<Price> price) throws IOException {
        if (price.isEmpty()) {
            out.writeNullField(field);
            return;
        }
        out.writeObjectFieldStart(field);
        switch (price.get()) {
            case Price.Changed changed -> writeChange(out, changed);
            case Price.Fixed fixed -> {
                out.writeStringField("change", fixed.change().label());
                out.writeStringField("obstacle", fixed.obstacle().label());
            }
        }
        out.writeEndObject();
    }

    private void writeChange(JsonGenerator out, Price.Changed changed) throws IOException {
        out.writeStringField("change", changed.change().label());
        out.writeNumberField("peakBytes", changed.peakBytes());
        writeCost(out, OptionalLong.of(changed.cost()));
        out.writeFieldName("fitsBudget");
        if (account.fitsBudget(changed).isPresent()) {
            out.writeBoolean(account.fitsBudget(changed).get());
        } else {
            out.writeNull();
        }
        writeNames(out, "added", changed.added().stream().map(account::made).toList());
        writeNames(out, "removed", changed.removed().stream().map(account::made).toList());
    }

    private void writeStep(JsonGenerator out, StepFacts facts) throws IOException {
        out.writeNumberField("index", facts.index());
        if (account.compilation().plan().isInSections()) {
            out.writeNumberField("times", facts.times());
        }
        out.writeStringField("computes", facts.name());
        out.writeStringField("op", facts.op());
        out.writeStringField("phase", facts.role().label());
        out.writeStringField("at", facts.location().toString());
        out.writeStringField("scope", facts.scope());
        out.writeBooleanField("again", facts.again());
        writeCost(out, OptionalLong.of(facts.cost()));
        out.writeNumberField("liveBytes", facts.liveBytes());
        out.writeObjectFieldStart("live");
        for (Kind kind : Kind.values()) {
            out.writeNumberField(kind.label(), facts.live().getOrDefault(kind, 0L));
        }
        out.writeEndObject();
    }

    private static void writeTensors(JsonGenerator out, String field, List<Stay> tensors) throws IOException {
        out.writeArrayFieldStart(field);
        for (Stay tensor : tensors) {
            out.writeStartObject();
            out.writeStringField("value", tensor.name().orElse(null));
            out.writeStringField("kind", tensor.kind().label());
            out.writeNumberField("offset", tensor.offset());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeNumberField("first", tensor.first());
            out.writeNumberField("last", tensor.last());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** In the unit of the cost model, and in milliseconds where that is time. */
    private void writeCost(JsonGenerator out, OptionalLong cost) throws IOException {
        CostModel costs = account.compilation().costs();
        writeOptional(out, "cost", cost);
        Json.writeOptional(out, "millis", cost.isPresent() ? costs.millis(cost.getAsLong()) : OptionalDouble.empty());
    }

    private static void writeOptional(JsonGenerator out, String field, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            out.writeNumberField(field, value.getAsLong());
        } else {
            out.writeNullField(field);
        }
    }

    private static void writeNames(JsonGenerator out, String field, List<Value> values) throws IOException {
        out.writeArrayFieldStart(field);
        for (Value value : values) {
            out.writeString(value.name());
        }
        out.writeEndArray();
    }
}
