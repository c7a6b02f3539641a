package dev.remat.ir.target;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import dev.remat.ir.DType;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;

/**
 * Files with costs as JSON: {@code remat-profile/1}, {@code /2} and {@code remat-prediction/1}, a kernel a line, and
 * {@code remat-device/1}.
 */
public final class CostFileJson {
    static final String DEVICE = "remat-device/1";
    static final String PROFILE = "remat-profile/1";
    static final String LINKED = "remat-profile/2";
    static final String PREDICTION = "remat-prediction/1";
    /** Of a link; left out where it is zero. */
    static final String INTERFERENCE = "interferenceNanosPerMegabyte";

    private CostFileJson() {}

    /**
     * Reads either format; {@code format} comes first, other fields in any order.
     *
     * @throws CorruptCostsException if anything is missing, unknown, twice there or negative
     */
    public static CostFile read(byte[] content) {
        try (JsonParser parser = JsonText.parser(JsonText.FACTORY, content)) {
            return new CostFileReader(new JsonCursor(parser)).read();
        } catch (CorruptJsonException e) {
            throw new CorruptCostsException(e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
    }

    /** The file's text; equal files have equal bytes. */
    public static byte[] write(CostFile file) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            switch (file) {
                case CostFile.Device(DeviceSpec device) -> {
                    json.writeStringField("format", DEVICE);
                    write(device, json);
                }
                case CostFile.Profile(var profile, var link) -> write(profile, link, json);
            }
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }

    private static void write(KernelProfile profile, Optional<Link> link, JsonGenerator json) throws IOException {
        String measured = link.isPresent() ? LINKED : PROFILE;
        json.writeStringField("format", profile.predictor().isPresent() ? PREDICTION : measured);
        if (profile.predictor().isPresent()) {
            json.writeStringField("predictor", profile.predictor().get());
        }
        if (link.isPresent()) {
            json.writeObjectFieldStart("link");
            json.writeNumberField("bytesPerSecond", link.get().bytesPerSecond());
            json.writeNumberField("latencyNanos", link.get().latencyNanos());
            if (link.get().interferenceNanosPerMegabyte() > 0) {
                json.writeNumberField(INTERFERENCE, link.get().interferenceNanosPerMegabyte());
            }
            json.writeEndObject();
        }
        json.writeStringField("target", profile.target());
        json.writeObjectFieldStart("device");
        write(profile.device(), json);
        json.writeEndObject();
        JsonFields.array(json, "kernels", profile.kernels(), kernel -> {
            json.writeRaw('\n');
            json.writeStartObject();
            json.writeStringField("key", kernel.key());
            json.writeStringField("family", kernel.family());
            json.writeStringField("dtype", kernel.dtype().label());
            json.writeNumberField("flops", kernel.flops());
            json.writeNumberField("bytes", kernel.bytes());
            json.writeNumberField("count", kernel.count());
            json.writeNumberField("nanos", kernel.nanos());
            json.writeEndObject();
        });
    }

    private static void write(DeviceSpec device, JsonGenerator json) throws IOException {
        json.writeStringField("name", device.name());
        json.writeObjectFieldStart("flopsPerSecond");
        for (Map.Entry<DType, Double> rate : device.flopsPerSecond().entrySet()) {
            json.writeNumberField(rate.getKey().label(), rate.getValue());
        }
        json.writeEndObject();
        json.writeNumberField("bytesPerSecond", device.bytesPerSecond());
        json.writeNumberField("launchNanos", device.launchNanos());
    }
}
