package dev.remat.ir.artifact;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Manifest to JSON; {@link ManifestReader} expects fields in the order in which they are written here. */
final class ManifestWriter {
    private final JsonGenerator json;

    private ManifestWriter(JsonGenerator json) {
        this.json = json;
    }

    static byte[] bytes(Manifest manifest) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Separators separators = Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator("");
        DefaultPrettyPrinter pretty =
                new DefaultPrettyPrinter(separators).withObjectIndenter(new DefaultIndenter(" ", "\n"));
        try (JsonGenerator json = JsonText.FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            new ManifestWriter(json.setPrettyPrinter(pretty)).write(manifest);
        }
        return out.toByteArray();
    }

    private void write(Manifest manifest) throws IOException {
        json.writeStartObject();
        json.writeStringField("format", Manifest.FORMAT + Manifest.VERSION);
        json.writeStringField("remat", manifest.build().remat());
        json.writeStringField("nvrtc", manifest.build().nvrtc());
        json.writeStringField("model", manifest.model());
        json.writeStringField("modelHash", manifest.modelHash());
        json.writeStringField("planHash", manifest.planHash());
        json.writeStringField("strategy", manifest.build().strategy());
        texts("options", manifest.build().options());
        json.writeObjectFieldStart("settings");
        for (Map.Entry<String, String> setting : manifest.build().settings().entrySet()) {
            json.writeStringField(setting.getKey(), setting.getValue());
        }
        json.writeEndObject();
        json.writeNumberField("arenaBytes", manifest.arenaBytes());
        texts("architectures", manifest.architectures());
        JsonFields.objects(json, "kernels", manifest.kernels(), this::write);
        JsonFields.objects(json, "files", manifest.files(), file -> {
            json.writeStringField("name", file.name());
            json.writeNumberField("bytes", file.bytes());
            json.writeStringField("sha256", file.sha256());
        });
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void write(ArtifactKernel kernel) throws IOException {
        KernelEntry entry = kernel.entry();
        json.writeStringField("symbol", entry.symbol());
        json.writeStringField("family", entry.family());
        texts(
                "parameters",
                entry.parameters().stream().map(ParameterType::label).toList());
        json.writeNumberField("threads", entry.threads());
        json.writeBooleanField("verified", entry.verified());
        json.writeStringField("at", entry.location());
        JsonFields.objects(json, "code", kernel.code(), this::write);
    }

    private void write(KernelCode code) throws IOException {
        json.writeStringField("architecture", code.architecture());
        json.writeNumberField("registers", code.usage().registers());
        json.writeNumberField("barriers", code.usage().barriers());
        json.writeNumberField("stackBytes", code.usage().stackBytes());
        json.writeNumberField("spillStoreBytes", code.usage().spillStoreBytes());
        json.writeNumberField("spillLoadBytes", code.usage().spillLoadBytes());
        json.writeNumberField("sharedBytes", code.usage().sharedBytes());
        json.writeNumberField("constantBytes", code.usage().constantBytes());
        json.writeNumberField("launches", code.use().launches());
        extent("smallestGrid", code.use().smallestGrid());
        extent("largestGrid", code.use().largestGrid());
        extent("smallestBlock", code.use().smallestBlock());
        extent("largestBlock", code.use().largestBlock());
        json.writeNumberField("dynamicSharedBytes", code.use().sharedBytes());
    }

    private void extent(String name, Extent3 extent) throws IOException {
        json.writeArrayFieldStart(name);
        json.writeNumber(extent.x());
        json.writeNumber(extent.y());
        json.writeNumber(extent.z());
        json.writeEndArray();
    }

    private void texts(String name, List<String> texts) throws IOException {
        JsonFields.array(json, name, texts, text -> json.writeString(text));
    }
}
