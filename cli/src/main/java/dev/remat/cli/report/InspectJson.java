package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.codegen.cuda.predict.CostSum;
import dev.remat.codegen.cuda.predict.StepCosts;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.Manifest;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The fields of {@code inspect --json}. */
public record InspectJson(Artifact artifact) {
    public void writeTo(JsonGenerator out) throws IOException {
        Manifest manifest = artifact.manifest();
        out.writeStringField("schema", "remat-inspect/1");
        out.writeStringField("format", Manifest.FORMAT + Manifest.VERSION);
        out.writeStringField("remat", manifest.build().remat());
        out.writeStringField("nvrtc", manifest.build().nvrtc());
        out.writeStringField("model", manifest.model());
        out.writeStringField("modelHash", manifest.modelHash());
        out.writeStringField("planHash", manifest.planHash());
        out.writeStringField("strategy", manifest.build().strategy());
        writeTexts("options", manifest.build().options(), out);
        out.writeObjectFieldStart("settings");
        for (Map.Entry<String, String> setting : manifest.build().settings().entrySet()) {
            out.writeStringField(setting.getKey(), setting.getValue());
        }
        out.writeEndObject();
        out.writeNumberField("arenaBytes", manifest.arenaBytes());
        if (artifact.plan().microBatches() > 1) {
            out.writeNumberField("microBatches", artifact.plan().microBatches());
        }
        JsonFields.array(out, "architectures", artifact.devices(), device -> writeDevice(device, out));
        JsonFields.objects(out, "files", manifest.files(), file -> {
            out.writeStringField("name", file.name());
            out.writeNumberField("bytes", file.bytes());
            out.writeStringField("sha256", file.sha256());
        });
        out.writeBooleanField("verified", true);
    }

    private void writeDevice(DeviceCode device, JsonGenerator out) throws IOException {
        List<ArtifactKernel> kernels = artifact.manifest().kernels();
        StepCosts costs = StepCosts.of(artifact, device);
        out.writeStartObject();
        out.writeStringField("name", device.architecture());
        out.writeNumberField("launches", costs.total().launches());
        out.writeNumberField("bytes", costs.total().bytes());
        out.writeNumberField("tensorBytes", costs.tensorBytes());
        writePrediction(costs, out);
        JsonFields.objects(out, "groups", costs.groups().entrySet(), group -> {
            out.writeStringField("name", group.getKey().label());
            out.writeNumberField("launches", group.getValue().launches());
            writeCosts(group.getValue(), costs, out);
        });
        if (artifact.plan().isInSections()) {
            writeSections(costs, out);
        }
        out.writeArrayFieldStart("kernels");
        for (int row = 0; row < kernels.size(); row++) {
            ArtifactKernel kernel = kernels.get(row);
            if (kernel.on(device.architecture()).isPresent()) {
                writeKernel(kernel, kernel.on(device.architecture()).get(), costs, row, out);
            }
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void writeSections(StepCosts costs, JsonGenerator out) throws IOException {
        JsonFields.objects(out, "sections", costs.sections().entrySet(), section -> {
            Json.writeSection(out, artifact.plan(), section.getKey());
            out.writeNumberField("launches", section.getValue().launches());
            writeCosts(section.getValue(), costs, out);
        });
    }

    /** Null where there is no model of the architecture. */
    private static void writePrediction(StepCosts costs, JsonGenerator out) throws IOException {
        JsonFields.object(out, "predicted", costs.model(), model -> {
            out.writeStringField("model", model.name());
            out.writeStringField("card", model.card());
            out.writeNumberField("millis", costs.millis());
            out.writeNumberField("gapMillis", costs.gapMillis());
        });
    }

    private static void writeCosts(CostSum sum, StepCosts costs, JsonGenerator out) throws IOException {
        out.writeNumberField("bytes", sum.bytes());
        if (costs.model().isPresent()) {
            out.writeNumberField("predictedMillis", sum.millis());
        } else {
            out.writeNullField("predictedMillis");
        }
    }

    private static void writeKernel(ArtifactKernel kernel, KernelCode code, StepCosts costs, int row, JsonGenerator out)
            throws IOException {
        out.writeStartObject();
        out.writeStringField("symbol", kernel.entry().symbol());
        out.writeStringField("family", kernel.entry().family());
        out.writeStringField("at", kernel.entry().location());
        out.writeBooleanField("verified", kernel.entry().verified());
        writeTexts(
                "parameters",
                kernel.entry().parameters().stream().map(ParameterType::label).toList(),
                out);
        out.writeNumberField("launches", costs.kernels().get(row).launches());
        writeExtent("smallestGrid", code.use().smallestGrid(), out);
        writeExtent("largestGrid", code.use().largestGrid(), out);
        writeExtent("smallestBlock", code.use().smallestBlock(), out);
        writeExtent("largestBlock", code.use().largestBlock(), out);
        out.writeNumberField("sharedBytes", code.usage().sharedBytes());
        out.writeNumberField("dynamicSharedBytes", code.use().sharedBytes());
        out.writeNumberField("registers", code.usage().registers());
        out.writeNumberField("stackBytes", code.usage().stackBytes());
        out.writeNumberField("spillStoreBytes", code.usage().spillStoreBytes());
        out.writeNumberField("spillLoadBytes", code.usage().spillLoadBytes());
        out.writeNumberField("flopsShare", costs.flopsShare(row));
        writeCosts(costs.kernels().get(row), costs, out);
        out.writeEndObject();
    }

    private static void writeExtent(String name, Extent3 extent, JsonGenerator out) throws IOException {
        out.writeFieldName(name);
        out.writeArray(new int[] {extent.x(), extent.y(), extent.z()}, 0, 3);
    }

    private static void writeTexts(String name, List<String> texts, JsonGenerator out) throws IOException {
        JsonFields.array(out, name, texts, text -> out.writeString(text));
    }
}
