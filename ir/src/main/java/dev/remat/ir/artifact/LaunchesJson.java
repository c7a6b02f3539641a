package dev.remat.ir.artifact;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code launches.ARCH.json}: the launches of one step, one a line:
 * {@code [step, kernel, grid x, y, z, block x, y, z, dynamic shared bytes, argument, …]}, arguments as signed slots of
 * 64 bits.
 */
final class LaunchesJson {
    private static final String FORMAT = "remat-launches/1";

    private LaunchesJson() {}

    static byte[] bytes(List<Launch> launches) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            JsonFields.array(json, "launches", launches, launch -> {
                json.writeRaw('\n');
                write(launch, json);
            });
            json.writeEndObject();
            json.writeRaw('\n');
        }
        return out.toByteArray();
    }

    private static void write(Launch launch, JsonGenerator json) throws IOException {
        json.writeStartArray();
        json.writeNumber(launch.step());
        json.writeNumber(launch.kernel());
        write(launch.grid(), json);
        write(launch.block(), json);
        json.writeNumber(launch.sharedBytes());
        for (long argument : launch.arguments()) {
            json.writeNumber(argument);
        }
        json.writeEndArray();
    }

    private static void write(Extent3 extent, JsonGenerator json) throws IOException {
        json.writeNumber(extent.x());
        json.writeNumber(extent.y());
        json.writeNumber(extent.z());
    }

    /**
     * Reads launches that suit a table of kernels.
     *
     * @throws CorruptJsonException if the text is no whole list, or a launch does not suit its kernel
     */
    static List<Launch> read(byte[] content, LaunchChecks checks) throws IOException {
        try (JsonParser parser = JsonText.parser(JsonText.FACTORY, content)) {
            JsonCursor json = new JsonCursor(parser);
            json.beginObject();
            String format = json.field("format").text();
            if (!format.equals(FORMAT)) {
                throw json.corrupt("the format is " + format + ", this remat reads " + FORMAT);
            }
            List<Launch> launches = json.field("launches").list(() -> launch(json, checks));
            json.endObject();
            json.end();
            return launches;
        }
    }

    private static Launch launch(JsonCursor json, LaunchChecks checks) throws IOException {
        json.beginArray();
        int step = json.index();
        int kernel = json.index();
        int[] extents = new int[6];
        for (int i = 0; i < extents.length; i++) {
            extents[i] = json.index();
        }
        int sharedBytes = json.index();
        List<Long> arguments = new ArrayList<>();
        while (json.more()) {
            arguments.add(json.number());
        }
        json.endArray();
        return json.parsed(() -> {
            Launch launch = new Launch(
                    step,
                    kernel,
                    new Extent3(extents[0], extents[1], extents[2]),
                    new Extent3(extents[3], extents[4], extents[5]),
                    sharedBytes,
                    arguments);
            checks.check(launch);
            return launch;
        });
    }
}
