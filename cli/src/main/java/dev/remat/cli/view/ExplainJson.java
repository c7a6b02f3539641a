package dev.remat.cli.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.ExchangeFacts;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.FollowExchanges;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.StepFacts;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.target.CostModel;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.stream.LongStream;

/** The fields of {@code explain --json}. */
public record ExplainJson(PlanAccount account) {
    private static final int MOST_RELIEFS = 20;

    /** Every value asked for, with all that was found by it. */
    public void values(JsonGenerator out, SequencedMap<String, List<ValueId>> asked) throws IOException {
        head(out);
        List<ValueId> sole = asked.values().stream()
                .filter(found -> found.size() == 1)
                .map(List::getFirst)
                .toList();
        JsonFields.objects(out, "values", sole, found -> write(out, account.value(found)));
        List<Map.Entry<String, List<ValueId>>> several = asked.entrySet().stream()
                .filter(each -> each.getValue().size() > 1)
                .toList();
        JsonFields.objects(out, "ambiguous", several, each -> writeMatches(out, each.getKey(), each.getValue()));
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
        JsonFields.objects(out, "reliefs", account.reliefs(MOST_RELIEFS), relief -> {
            out.writeStringField("value", relief.value().name());
            writeChange(out, relief.price());
        });
        out.writeEndObject();
    }

    private void head(JsonGenerator out) throws IOException {
        Compilation plan = account.compilation();
        out.writeStringField("schema", "remat-explain/1");
        out.writeStringField("model", plan.plan().model());
        Json.writeSymbols(out, plan.model().extents(), plan.microBatches());
        out.writeStringField("target", plan.plan().target());
        out.writeStringField("strategy", plan.sequence().strategy());
        JsonFields.optional(out, "budgetBytes", plan.search().budgetBytes());
        out.writeStringField("costModel", plan.costs().name());
        out.writeNumberField("steps", account.stepCount());
        Json.writeSections(out, plan.plan());
    }

    private void writeMatches(JsonGenerator out, String asked, List<ValueId> found) throws IOException {
        out.writeStringField("asked", asked);
        JsonFields.array(out, "matches", found, id -> {
            ValueFacts value = account.unpriced(id);
            out.writeStartObject();
            out.writeStringField("value", value.value().name());
            out.writeNumberField("bytes", value.bytes());
            out.writeStringField("at", value.location().toString());
            out.writeStringField("state", value.state().label());
            out.writeEndObject();
        });
    }

    private void write(JsonGenerator out, ValueFacts value) throws IOException {
        out.writeStringField("value", value.value().name());
        out.writeStringField("dtype", value.value().type().dtype().name().toLowerCase(Locale.ROOT));
        JsonFields.array(
                out,
                "shape",
                LongStream.of(value.value().type().shape().toArray()).boxed().toList(),
                out::writeNumber);
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
        JsonFields.objects(out, "consumers", value.consumers(), consumer -> {
            out.writeStringField("value", consumer.value().name());
            out.writeStringField("op", consumer.op());
            out.writeStringField("phase", consumer.role().label());
            out.writeStringField("at", consumer.location().toString());
        });
        JsonFields.objects(out, "stays", value.stays(), stay -> {
            out.writeNumberField("first", stay.first());
            out.writeNumberField("last", stay.last());
            out.writeNumberField("offset", stay.offset());
            out.writeNumberField("bytes", stay.bytes());
            out.writeStringField("kind", stay.kind().label());
            out.writeBooleanField("again", stay.again());
        });
        JsonFields.object(out, "recomputation", value.recomputation(), chain -> {
            writeNames(out, "runs", chain.runs());
            writeNames(out, "from", chain.from());
        });
        JsonFields.objects(out, "moves", value.moves(), move -> {
            out.writeStringField("place", move.place());
            out.writeStringField(
                    "storedAfter", move.storedAfter().map(Value::name).orElse(null));
            out.writeStringField("fetchedBefore", move.fetchedBefore().name());
            out.writeNumberField("bytes", move.bytes());
            out.writeNumberField("exposedMillis", move.exposedNanos() / 1e6);
            out.writeNumberField("laneMillis", move.laneNanos() / 1e6);
            out.writeNumberField("awayMillis", move.awayNanos() / 1e6);
        });
        writeExchanges(out, value);
        writePrice(out, "price", value.price());
        if (!value.moves().isEmpty()) {
            writePrice(out, "recomputedInstead", value.instead());
        }
    }

    private void writeExchanges(JsonGenerator out, ValueFacts value) throws IOException {
        if (account.compilation().plan().ranks() == 1) {
            return;
        }
        List<ExchangeFacts> exchanges =
                new FollowExchanges(account).of(value.value().id());
        JsonFields.objects(out, "exchanges", exchanges, each -> {
            Exchanged when = each.when();
            out.writeStringField("value", each.brings().name());
            out.writeStringField("exchange", when.sent().scatters() ? "scatter" : "gather");
            out.writeStringField("sends", each.sends().name());
            writeNames(out, "joined", each.joined());
            out.writeNumberField("bytes", when.sent().bytes());
            out.writeNumberField("times", when.sent().times());
            out.writeNumberField("step", when.sent().step());
            out.writeNumberField("awaitedBefore", when.awaited());
            out.writeStringField("awaitedBy", each.awaitedBy().map(Value::name).orElse(null));
            if (ExchangeTimes.of(account).isPresent()) {
                out.writeNumberField("beginMillis", when.begin() / 1e6);
                out.writeNumberField("endMillis", when.end() / 1e6);
                out.writeNumberField("exposedMillis", when.waited() / 1e6);
            }
        });
    }

    private void writePrice(JsonGenerator out, String field, Optional<Price> price) throws IOException {
        JsonFields.object(out, field, price, priced -> {
            switch (priced) {
                case Price.Changed changed -> writeChange(out, changed);
                case Price.Fixed fixed -> {
                    out.writeStringField("change", fixed.change().label());
                    out.writeStringField("obstacle", fixed.obstacle().label());
                }
            }
        });
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
        JsonFields.objects(out, field, tensors, tensor -> {
            out.writeStringField("value", tensor.name().orElse(null));
            out.writeStringField("kind", tensor.kind().label());
            out.writeNumberField("offset", tensor.offset());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeNumberField("first", tensor.first());
            out.writeNumberField("last", tensor.last());
        });
    }

    /** In the unit of the cost model, and in milliseconds where that is time. */
    private void writeCost(JsonGenerator out, OptionalLong cost) throws IOException {
        CostModel costs = account.compilation().costs();
        JsonFields.optional(out, "cost", cost);
        JsonFields.optional(out, "millis", cost.isPresent() ? costs.millis(cost.getAsLong()) : OptionalDouble.empty());
    }

    private static void writeNames(JsonGenerator out, String field, List<Value> values) throws IOException {
        JsonFields.array(out, field, values, value -> out.writeString(value.name()));
    }
}
