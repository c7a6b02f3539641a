package dev.remat.cli.device;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.remat.ir.artifact.ContentHash;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.execution.StageMessages;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.json.JsonText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** {@code stage.json} of a stage's artifact: which one it is, and what it sends and takes when. */
public final class StageFile {
    public static final String NAME = "stage.json";

    private StageFile() {}

    /**
     * @param plans of all stages
     * @param schedule in which order they take micro-batches
     * @param devices with the launches of this one
     */
    public static String print(PlanSet plans, String schedule, int stage, List<DeviceCode> devices) {
        StageMessages messages = StageMessages.of(plans.stages().get(stage));
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JsonText.FACTORY.createGenerator(text)) {
            out.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter(" ", "\n")));
            out.writeStartObject();
            out.writeStringField("format", "remat-stage/1");
            out.writeNumberField("stage", stage);
            out.writeNumberField("stages", plans.stages().size());
            out.writeStringField("schedule", schedule);
            out.writeNumberField("microBatches", plans.microBatches());
            out.writeStringField("set", hash(plans));
            JsonFields.objects(out, "messages", messages.ends(), end -> {
                out.writeStringField("name", end.name());
                out.writeNumberField(end.sends() ? "to" : "from", end.stage());
                out.writeNumberField("number", end.number());
                out.writeNumberField("offset", end.range().offset());
                out.writeNumberField("bytes", end.range().bytes());
            });
            JsonFields.objects(out, "stops", messages.stops(), stop -> {
                out.writeStringField("kind", stop.kind().name().toLowerCase(Locale.ROOT));
                if (stop.message() >= 0) {
                    out.writeNumberField("message", stop.message());
                }
                out.writeNumberField("step", stop.before());
                out.writeObjectFieldStart("launches");
                for (DeviceCode device : devices) {
                    out.writeNumberField(
                            device.architecture(),
                            device.launches().stream()
                                    .takeWhile(launch -> launch.step() < stop.before())
                                    .count());
                }
                out.writeEndObject();
            });
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text + "\n";
    }

    /** What all stages that go together have in common. */
    private static String hash(PlanSet plans) {
        String hashes = plans.stages().stream().map(ExecutionPlanJson::hash).collect(Collectors.joining());
        return ContentHash.of(hashes.getBytes(StandardCharsets.UTF_8));
    }
}
