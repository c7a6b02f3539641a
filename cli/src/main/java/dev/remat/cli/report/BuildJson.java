package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.Manifest;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** The fields of {@code build --json}. */
public record BuildJson(Manifest manifest, ExecutionPlan plan, Path folder, SequencedMap<String, Double> seconds) {
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-build/1");
        out.writeStringField("directory", folder.toString());
        out.writeStringField("model", manifest.model());
        out.writeStringField("modelHash", manifest.modelHash());
        out.writeStringField("planHash", manifest.planHash());
        out.writeStringField("strategy", manifest.build().strategy());
        out.writeNumberField("arenaBytes", manifest.arenaBytes());
        if (!plan.transfers().isEmpty()) {
            long bytes = plan.transfers().places().stream()
                    .mapToLong(PlaceSize::bytes)
                    .sum();
            out.writeNumberField("hostArenaBytes", bytes);
        }
        out.writeNumberField("kernels", manifest.kernels().size());
        out.writeNumberField(
                "unverifiedKernels",
                manifest.kernels().stream()
                        .filter(kernel -> !kernel.entry().verified())
                        .count());
        JsonFields.array(
                out, "architectures", manifest.architectures(), architecture -> writeArchitecture(architecture, out));
        out.writeNumberField("bytes", manifest.bytes());
        out.writeObjectFieldStart("seconds");
        for (Map.Entry<String, Double> part : seconds.entrySet()) {
            out.writeNumberField(part.getKey(), part.getValue());
        }
        out.writeNumberField(
                "total",
                seconds.values().stream().mapToDouble(Double::doubleValue).sum());
        out.writeEndObject();
    }

    private void writeArchitecture(String architecture, JsonGenerator out) throws IOException {
        List<KernelCode> code = manifest.kernels().stream()
                .flatMap(k -> k.on(architecture).stream())
                .toList();
        long cubinBytes = manifest.files().stream()
                .filter(file -> file.name().equals(ArtifactFile.cubin(architecture)))
                .mapToLong(ArtifactFile::bytes)
                .sum();
        out.writeStartObject();
        out.writeStringField("name", architecture);
        out.writeNumberField("kernels", code.size());
        out.writeNumberField("launches", manifest.launches(architecture));
        out.writeNumberField(
                "mostRegisters",
                code.stream().mapToInt(c -> c.usage().registers()).max().orElse(0));
        out.writeNumberField(
                "spillingKernels", code.stream().filter(c -> c.usage().spills()).count());
        out.writeNumberField("cubinBytes", cubinBytes);
        out.writeEndObject();
    }
}
