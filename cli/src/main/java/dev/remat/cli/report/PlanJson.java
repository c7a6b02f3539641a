package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.compiler.report.OffloadedTensor;
import dev.remat.compiler.report.PlanReport;
import dev.remat.compiler.report.RecomputedTensor;
import dev.remat.compiler.report.RetainedTensor;
import dev.remat.compiler.report.StepMovement;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.solve.Movement.TierUse;
import dev.remat.compiler.view.PlanView;
import dev.remat.ir.execution.ExecutionPlanJson;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** The fields of {@code plan --json}. */
public record PlanJson(PlanReport report, double parseSeconds) {
    private static final double NANOS_PER_MILLI = 1e6;

    public void writeTo(JsonGenerator out) throws IOException {
        writeSums(out);
        writeTensors(out);
        writeSeconds(out);
        writeHash(out);
    }

    /** What needs no list of tensors; a function of what was compiled. */
    public void writeSums(JsonGenerator out) throws IOException {
        Compilation compilation = report.compilation();
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
        out.writeStringField("target", compilation.plan().target());
        out.writeStringField("strategy", compilation.sequence().strategy());
        out.writeFieldName("budgetBytes");
        if (compilation.search().budgetBytes().isPresent()) {
            out.writeNumber(compilation.search().budgetBytes().getAsLong());
        } else {
            out.writeNull();
        }
        writeMemory(out);
        writeCompute(out);
        writeTransfers(out, report);
        writeNodes(out);
        if (report.measured().isPresent()) {
            out.writeObjectFieldStart("measured");
            new ComparisonJson(report.measured().get()).writeTo(out);
            out.writeEndObject();
        }
    }

    public void writeHash(JsonGenerator out) throws IOException {
        out.writeStringField(
                "planHash", ExecutionPlanJson.hash(report.compilation().plan()));
    }

    private void writeTensors(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("retained");
        for (RetainedTensor tensor : report.retained()) {
            out.writeStartObject();
            out.writeStringField("value", tensor.name());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeStringField("at", tensor.location().toString());
            out.writeStringField("reason", tensor.reason());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeArrayFieldStart("recomputed");
        for (RecomputedTensor tensor : report.recomputed()) {
            out.writeStartObject();
            out.writeStringField("value", tensor.name());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeStringField("at", tensor.location().toString());
            out.writeNumberField("times", tensor.times());
            Json.writeOptional(out, "millis", report.compilation().costs().millis(tensor.cost()));
            out.writeEndObject();
        }
        out.writeEndArray();
        if (report.movement().isPresent()) {
            writeOffloaded(out, report.movement().get());
        }
    }

    private static void writeOffloaded(JsonGenerator out, StepMovement moved) throws IOException {
        out.writeArrayFieldStart("offloaded");
        for (OffloadedTensor tensor : moved.tensors()) {
            out.writeStartObject();
            out.writeStringField("value", tensor.name());
            out.writeNumberField("bytes", tensor.bytes());
            out.writeStringField("at", tensor.location().toString());
            out.writeStringField("place", tensor.place());
            out.writeStringField("storedAfter", tensor.storedAfter().orElse(null));
            out.writeStringField("fetchedBefore", tensor.fetchedBefore());
            out.writeNumberField("exposedMillis", tensor.times() * tensor.exposedNanos() / NANOS_PER_MILLI);
            out.writeStringField("reason", tensor.reason());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Nothing where nothing lies below the arena. */
    static void writeTransfers(JsonGenerator out, PlanReport report) throws IOException {
        if (report.movement().isEmpty()) {
            return;
        }
        StepMovement moved = report.movement().get();
        out.writeObjectFieldStart("transfers");
        out.writeNumberField("storeBytes", moved.step().storeBytes());
        out.writeNumberField("fetchBytes", moved.step().fetchBytes());
        out.writeNumberField("hostArenaBytes", moved.placeBytes("host"));
        out.writeNumberField("diskBytes", moved.placeBytes("disk"));
        out.writeNumberField("exposedMillis", moved.step().exposedNanos() / NANOS_PER_MILLI);
        long besideNext = PlanView.of(report.compilation()).besideNextNanos();
        if (besideNext > 0) {
            out.writeNumberField("besideNextStepMillis", besideNext / NANOS_PER_MILLI);
        }
        if (moved.step().interferenceNanos() > 0) {
            out.writeNumberField("interferenceMillis", moved.step().interferenceNanos() / NANOS_PER_MILLI);
        }
        out.writeArrayFieldStart("lanes");
        for (TierUse tier : moved.step().tiers()) {
            writeLane(out, "store to " + tier.name(), tier.storeNanos());
            writeLane(out, "fetch from " + tier.name(), tier.fetchNanos());
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static void writeLane(JsonGenerator out, String name, long nanos) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", name);
        out.writeNumberField("busyMillis", nanos / NANOS_PER_MILLI);
        out.writeEndObject();
    }

    private void writeMemory(JsonGenerator out) throws IOException {
        Compilation compilation = report.compilation();
        out.writeObjectFieldStart("memory");
        out.writeNumberField("arenaBytes", compilation.memory().arenaBytes());
        out.writeNumberField("peakLiveBytes", report.peakLiveBytes());
        out.writeNumberField("parameterBytes", report.memory().atPeak(Purpose.PARAMETER));
        out.writeNumberField("optimizerBytes", report.memory().atPeak(Purpose.OPTIMIZER));
        out.writeNumberField("gradientBytesAtPeak", report.memory().atPeak(Purpose.GRADIENT));
        out.writeNumberField("activationBytesAtPeak", report.memory().activationBytesAtPeak());
        out.writeNumberField("maxActivationBytes", report.memory().maxActivationBytes());
        out.writeNumberField("workspaceBytesAtPeak", report.memory().atPeak(Purpose.WORKSPACE));
        out.writeNumberField("keepAllArenaBytes", compilation.search().keepAll().bytes());
        out.writeNumberField("floorBytes", compilation.search().floor().bytes());
        out.writeStringField("floorSetBy", compilation.search().floor().setBy());
        out.writeNumberField("smallestFoundBytes", compilation.search().smallestFoundBytes());
        out.writeNumberField("tighteningRounds", compilation.search().tighteningRounds());
        out.writeEndObject();
    }

    private void writeCompute(JsonGenerator out) throws IOException {
        Compilation compilation = report.compilation();
        out.writeObjectFieldStart("compute");
        out.writeNumberField("flops", report.work().flops());
        out.writeNumberField("recomputeFlops", report.work().recomputeFlops());
        out.writeNumberField("overhead", compilation.overhead());
        Json.writeOptional(out, "estimatedMillis", compilation.costs().millis(compilation.cost()));
        out.writeNumberField("lowerBoundOverhead", compilation.lowerBoundOverhead());
        out.writeStringField("boundScope", compilation.search().bound().scope().text());
        out.writeBooleanField("proven", report.proven());
        out.writeStringField("costModel", compilation.costs().name());
        out.writeEndObject();
    }

    private void writeNodes(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("nodes");
        out.writeNumberField("forward", report.work().forward());
        out.writeNumberField("backward", report.work().backward());
        out.writeNumberField("update", report.work().update());
        out.writeNumberField("recomputed", report.work().recomputed());
        out.writeNumberField("kernels", report.compilation().plan().steps().size());
        out.writeEndObject();
        writeSections(out);
    }

    /** Where steps run in rounds: which, how often, and what all rounds of them take. */
    private void writeSections(JsonGenerator out) throws IOException {
        Compilation compilation = report.compilation();
        if (!compilation.plan().isInSections()) {
            return;
        }
        out.writeArrayFieldStart("sections");
        for (SectionPart part : compilation.whole().parts()) {
            out.writeStartObject();
            Json.writeSection(out, compilation.plan(), part.steps());
            Json.writeOptional(
                    out,
                    "estimatedMillis",
                    compilation
                            .costs()
                            .millis(part.steps().times() * part.section().cost()));
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void writeSeconds(JsonGenerator out) throws IOException {
        SequencedMap<String, Double> seconds = report.compilation().seconds();
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
