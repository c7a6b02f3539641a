package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.chunk.ChunksJson;
import dev.remat.cli.console.Json;
import dev.remat.cli.option.Target;
import dev.remat.cli.search.BoundText;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.PlanDigest.AtPeak;
import dev.remat.compiler.account.StepMovement;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.graph.Value;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** The fields of {@code plan --json}. */
public record PlanJson(PlanAccount account, double parseSeconds) {
    private static final double NANOS_PER_MILLI = 1e6;

    public void writeTo(JsonGenerator out) throws IOException {
        writeSums(out);
        writeTensors(out);
        writeSeconds(out);
        writeHash(out);
    }

    /** What needs no list of tensors; a function of what was compiled. */
    public void writeSums(JsonGenerator out) throws IOException {
        Compilation compilation = account.compilation();
        out.writeStringField("schema", "remat-plan/1");
        out.writeStringField("model", compilation.plan().model());
        out.writeStringField("modelHash", compilation.plan().modelHash());
        Json.writeSymbols(out, compilation.model().extents(), compilation.microBatches());
        if (compilation.model().training().microBatchOrder() != MicroBatchOrder.DEPTH) {
            out.writeStringField(
                    "microBatchOrder",
                    compilation.model().training().microBatchOrder().toString());
        }
        Optional<Long> normalized = NormalizedRows.of(compilation.model());
        if (normalized.isPresent()) {
            out.writeNumberField("batchNormRows", normalized.get());
        }
        ChunksJson.write(compilation.step().chunked(), out);
        out.writeStringField("target", compilation.plan().target());
        out.writeStringField("strategy", compilation.sequence().strategy());
        JsonFields.optional(out, "budgetBytes", compilation.search().budgetBytes());
        writeMemory(out);
        writeCompute(out);
        writeTransfers(out, account);
        writeNodes(out);
        if (account.measured().isPresent()) {
            out.writeObjectFieldStart("measured");
            new ComparisonJson(account.measured().get()).writeTo(out);
            out.writeEndObject();
        }
    }

    public void writeHash(JsonGenerator out) throws IOException {
        out.writeStringField("planHash", hash());
    }

    /** Of everything that runs the plan. */
    public String hash() {
        return ExecutionPlanJson.hash(account.compilation().plan());
    }

    private void writeTensors(JsonGenerator out) throws IOException {
        JsonFields.objects(out, "retained", account.retained(), tensor -> {
            out.writeStringField("value", tensor.value().name());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeStringField("at", tensor.location().toString());
            out.writeStringField("reason", tensor.reason());
        });
        JsonFields.objects(out, "recomputed", account.recomputed(), tensor -> {
            out.writeStringField("value", tensor.value().name());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeStringField("at", tensor.location().toString());
            out.writeNumberField("times", tensor.times());
            JsonFields.optional(out, "millis", account.compilation().costs().millis(tensor.cost()));
        });
        if (account.movement().isPresent()) {
            writeOffloaded(out, account.movement().get());
        }
    }

    private static void writeOffloaded(JsonGenerator out, StepMovement moved) throws IOException {
        JsonFields.objects(out, "offloaded", moved.tensors(), tensor -> {
            out.writeStringField("value", tensor.value().name());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeStringField("at", tensor.location().toString());
            out.writeStringField("place", tensor.place());
            out.writeStringField(
                    "storedAfter", tensor.storedAfter().map(Value::name).orElse(null));
            out.writeStringField("fetchedBefore", tensor.fetchedBefore().name());
            out.writeNumberField("exposedMillis", tensor.times() * tensor.exposedNanos() / NANOS_PER_MILLI);
            out.writeStringField("reason", tensor.reason());
        });
    }

    /** Nothing where nothing lies below the arena. */
    static void writeTransfers(JsonGenerator out, PlanAccount account) throws IOException {
        if (account.movement().isEmpty()) {
            return;
        }
        StepMovement moved = account.movement().get();
        out.writeObjectFieldStart("transfers");
        out.writeNumberField("storeBytes", moved.step().storeBytes());
        out.writeNumberField("fetchBytes", moved.step().fetchBytes());
        out.writeNumberField("hostArenaBytes", moved.placeBytes("host"));
        out.writeNumberField("diskBytes", moved.placeBytes("disk"));
        out.writeNumberField("exposedMillis", moved.step().exposedNanos() / NANOS_PER_MILLI);
        long besideNext = account.besideNextNanos();
        if (besideNext > 0) {
            out.writeNumberField("besideNextStepMillis", besideNext / NANOS_PER_MILLI);
        }
        if (moved.step().interferenceNanos() > 0) {
            out.writeNumberField("interferenceMillis", moved.step().interferenceNanos() / NANOS_PER_MILLI);
        }
        JsonFields.array(out, "lanes", moved.step().tiers(), tier -> {
            writeLane(out, "store to " + tier.name(), tier.storeNanos());
            writeLane(out, "fetch from " + tier.name(), tier.fetchNanos());
        });
        out.writeEndObject();
    }

    private static void writeLane(JsonGenerator out, String name, long nanos) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", name);
        out.writeNumberField("busyMillis", nanos / NANOS_PER_MILLI);
        out.writeEndObject();
    }

    private void writeMemory(JsonGenerator out) throws IOException {
        Compilation compilation = account.compilation();
        AtPeak peak = account.atPeak();
        out.writeObjectFieldStart("memory");
        out.writeNumberField("arenaBytes", compilation.memory().arenaBytes());
        JsonFields.optional(out, "processBytes", Target.besideArena(compilation.plan()));
        out.writeNumberField("peakLiveBytes", account.peakLiveBytes());
        out.writeNumberField("parameterBytes", peak.parameters());
        out.writeNumberField("optimizerBytes", peak.optimizer());
        out.writeNumberField("gradientBytesAtPeak", peak.gradients());
        out.writeNumberField("activationBytesAtPeak", peak.activations());
        out.writeNumberField("maxActivationBytes", account.maxActivationBytes());
        out.writeNumberField("workspaceBytesAtPeak", peak.workspace());
        out.writeNumberField("keepAllArenaBytes", compilation.search().keepAll().bytes());
        out.writeNumberField("floorBytes", compilation.search().floor().bytes());
        out.writeStringField("floorSetBy", compilation.search().floor().setBy());
        if (!compilation.step().chunked().isEmpty()) {
            out.writeNumberField("floorBytesOfWhole", compilation.floorOfWhole().bytes());
        }
        out.writeNumberField("smallestFoundBytes", compilation.search().smallestFoundBytes());
        out.writeNumberField("tighteningRounds", compilation.search().tighteningRounds());
        out.writeEndObject();
    }

    private void writeCompute(JsonGenerator out) throws IOException {
        Compilation compilation = account.compilation();
        out.writeObjectFieldStart("compute");
        out.writeNumberField("flops", account.work().flops());
        out.writeNumberField("recomputeFlops", account.work().recomputeFlops());
        out.writeNumberField("overhead", compilation.overhead());
        JsonFields.optional(out, "estimatedMillis", compilation.costs().millis(compilation.cost()));
        out.writeNumberField("lowerBoundOverhead", compilation.lowerBoundOverhead());
        BoundText.write(out, compilation.search().bound());
        out.writeBooleanField("proven", account.proven());
        out.writeStringField("costModel", compilation.costs().name());
        out.writeEndObject();
    }

    private void writeNodes(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("nodes");
        out.writeNumberField("forward", account.work().forward());
        out.writeNumberField("backward", account.work().backward());
        out.writeNumberField("update", account.work().update());
        out.writeNumberField("recomputed", account.work().recomputed());
        out.writeNumberField("kernels", account.compilation().plan().steps().size());
        out.writeEndObject();
        writeSections(out);
    }

    /** Where steps run in rounds: which, how often, and what all rounds of them take. */
    private void writeSections(JsonGenerator out) throws IOException {
        Compilation compilation = account.compilation();
        if (!compilation.plan().isInSections()) {
            return;
        }
        JsonFields.objects(out, "sections", compilation.whole().parts(), part -> {
            Json.writeSection(out, compilation.plan(), part.steps());
            JsonFields.optional(
                    out,
                    "estimatedMillis",
                    compilation
                            .costs()
                            .millis(part.steps().times() * part.section().cost()));
        });
    }

    private void writeSeconds(JsonGenerator out) throws IOException {
        SequencedMap<String, Double> seconds = account.compilation().seconds();
        double compile =
                seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        out.writeObjectFieldStart("seconds");
        out.writeNumberField("parse", parseSeconds + sum(seconds, "simplify"));
        out.writeNumberField("autodiff", sum(seconds, "autodiff"));
        out.writeNumberField("plan", sum(seconds, "fusion", "plan", "insert", "kernels"));
        out.writeNumberField("arena", sum(seconds, "arena", "check"));
        out.writeNumberField("total", parseSeconds + compile);
        out.writeEndObject();
    }

    private static double sum(Map<String, Double> seconds, String... accounts) {
        double sum = 0;
        for (String account : accounts) {
            sum += seconds.getOrDefault(account, 0.0);
        }
        return sum;
    }
}
