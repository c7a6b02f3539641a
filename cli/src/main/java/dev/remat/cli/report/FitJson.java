package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.chunk.ChunksJson;
import dev.remat.cli.console.Json;
import dev.remat.cli.search.BoundText;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.fit.NextExtent;
import dev.remat.compiler.fit.SymbolFit;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.Optional;

/** The fields of {@code fit --json}. */
public record FitJson(
        String symbol,
        long memoryBytes,
        SymbolFit fit,
        Optional<RateTable> rates,
        PlanAccount account,
        double seconds) {
    private static final int TENSORS = 8;

    public void writeTo(JsonGenerator out) throws IOException {
        Compilation plan = fit.plan();
        out.writeStringField("schema", "remat-fit/1");
        out.writeStringField("model", plan.plan().model());
        out.writeStringField("modelHash", plan.plan().modelHash());
        Json.writeSymbols(out, plan.model().extents(), plan.microBatches());
        out.writeStringField("target", plan.plan().target());
        out.writeStringField("symbol", symbol);
        out.writeNumberField("memoryBytes", memoryBytes);
        out.writeNumberField("extent", fit.extent());
        out.writeStringField("strategy", plan.sequence().strategy());
        out.writeNumberField("arenaBytes", plan.memory().arenaBytes());
        out.writeNumberField("overhead", plan.overhead());
        out.writeNumberField("lowerBoundOverhead", plan.lowerBoundOverhead());
        BoundText.write(out, plan.search().bound());
        out.writeBooleanField("proven", account.proven());
        JsonFields.optional(out, "estimatedMillis", plan.costs().millis(plan.cost()));
        out.writeStringField("costModel", plan.costs().name());
        PlanJson.writeTransfers(out, account);
        ChunksJson.write(plan.step().chunked(), out);
        writeNext(out);
        out.writeObjectFieldStart("withoutRecomputation");
        out.writeNumberField("extent", fit.keepAll().extent());
        out.writeNumberField("arenaBytes", fit.keepAll().arenaBytes());
        JsonFields.optional(
                out, "estimatedMillis", plan.costs().millis(fit.keepAll().cost()));
        out.writeEndObject();
        writePeak(out);
        if (rates.isPresent()) {
            rates.get().writeTo(out);
        }
        out.writeNumberField("steps", fit.steps());
        out.writeStringField("planHash", ExecutionPlanJson.hash(plan.plan()));
        out.writeNumberField("seconds", seconds);
    }

    private void writeNext(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("next");
        out.writeNumberField("extent", fit.nextExtent());
        switch (fit.next()) {
            case NextExtent.Impossible(MemoryFloor floor) -> {
                out.writeStringField("verdict", "impossible");
                writeFloor(out, floor);
            }
            case NextExtent.NotFound(MemoryFloor floor, long smallest) -> {
                out.writeStringField("verdict", "not-found");
                writeFloor(out, floor);
                out.writeNumberField("smallestFoundBytes", smallest);
            }
            case NextExtent.Invalid(String message) -> {
                out.writeStringField("verdict", "invalid");
                out.writeStringField("message", message);
            }
            case NextExtent.NotAsked _ -> out.writeStringField("verdict", "not-asked");
        }
        if (fit.whole().isPresent()) {
            out.writeNumberField(
                    "floorBytesOfWhole", fit.whole().get().nextFloor().bytes());
        }
        out.writeEndObject();
        if (fit.whole().isPresent()) {
            out.writeNumberField("largestOfWhole", fit.whole().get().ceiling());
        }
    }

    private static void writeFloor(JsonGenerator out, MemoryFloor floor) throws IOException {
        out.writeNumberField("floorBytes", floor.bytes());
        out.writeStringField("floorSetBy", floor.setBy());
    }

    private void writePeak(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("peak");
        out.writeStringField("computes", account.step(account.peakStep()).name());
        out.writeStringField("at", account.step(account.peakStep()).location().toString());
        out.writeNumberField("parameterBytes", account.atPeak().parameters());
        out.writeNumberField("optimizerBytes", account.atPeak().optimizer());
        out.writeNumberField("gradientBytes", account.atPeak().gradients());
        out.writeNumberField("activationBytes", account.atPeak().activations());
        out.writeNumberField("workspaceBytes", account.atPeak().workspace());
        JsonFields.objects(
                out, "tensors", account.tensorsAtPeak().stream().limit(TENSORS).toList(), tensor -> {
                    out.writeStringField("value", tensor.name().orElseThrow());
                    out.writeNumberField("bytes", tensor.bytes());
                    out.writeStringField("purpose", tensor.kind().purpose());
                    out.writeStringField("at", tensor.location().toString());
                });
        out.writeEndObject();
    }
}
