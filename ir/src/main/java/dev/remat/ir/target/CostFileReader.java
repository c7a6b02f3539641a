package dev.remat.ir.target;

import dev.remat.ir.DType;
import dev.remat.ir.json.JsonCursor;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** JSON to the contents of a file with costs; see {@link CostFileJson}. */
final class CostFileReader {
    private static final List<String> DEVICE_FIELDS =
            List.of("name", "flopsPerSecond", "bytesPerSecond", "launchNanos");

    private final JsonCursor json;

    CostFileReader(JsonCursor json) {
        this.json = json;
    }

    CostFile read() throws IOException {
        json.beginObject();
        String format = json.field("format").text();
        CostFile file = switch (format) {
            case CostFileJson.DEVICE -> new CostFile.Device(device());
            case CostFileJson.PROFILE -> new CostFile.Profile(profile(Optional.empty()));
            case CostFileJson.LINKED -> {
                Link link = link();
                yield new CostFile.Profile(profile(Optional.empty()), Optional.of(link));
            }
            case CostFileJson.PREDICTION ->
                new CostFile.Profile(profile(Optional.of(json.field("predictor").text())));
            default ->
                throw json.corrupt("the format is " + format + ", this remat reads " + CostFileJson.PROFILE + ", "
                        + CostFileJson.LINKED + ", " + CostFileJson.PREDICTION + " and " + CostFileJson.DEVICE);
        };
        json.end();
        return file;
    }

    private Link link() throws IOException {
        json.field("link").beginObject();
        long rate = json.field("bytesPerSecond").unsigned();
        long latency = json.field("latencyNanos").unsigned();
        long interference =
                json.atField() ? json.field(CostFileJson.INTERFERENCE).unsigned() : 0;
        json.endObject();
        return json.parsed(() -> new Link(rate, latency, interference));
    }

    private KernelProfile profile(Optional<String> predictor) throws IOException {
        String target = json.field("target").text();
        json.field("device").beginObject();
        DeviceSpec device = device();
        Set<String> keys = new LinkedHashSet<>();
        List<KernelTime> kernels = json.field("kernels").list(() -> kernel(keys));
        json.endObject();
        return new KernelProfile(target, device, predictor, kernels);
    }

    private KernelTime kernel(Set<String> keys) throws IOException {
        json.beginObject();
        String key = json.field("key").text();
        if (!keys.add(key)) {
            throw json.corrupt("a second time for the kernel \"" + key + "\"");
        }
        String family = json.field("family").text();
        String label = json.field("dtype").text();
        DType dtype = json.parsed(() -> DType.ofLabel(label));
        long flops = json.field("flops").unsigned();
        long bytes = json.field("bytes").unsigned();
        int count = json.field("count").index();
        long nanos = json.field("nanos").unsigned();
        json.endObject();
        return json.parsed(() -> new KernelTime(key, family, dtype, flops, bytes, count, nanos));
    }

    /** The remaining fields of a device, in any order, for people write them. */
    private DeviceSpec device() throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        Map<String, Double> numbers = new LinkedHashMap<>();
        SequencedMap<DType, Double> rates = new LinkedHashMap<>();
        json.fields(field -> {
            switch (field) {
                case "name" -> texts.put(field, json.text());
                case "flopsPerSecond" -> {
                    json.beginObject();
                    json.fields(label -> rates.put(json.parsed(() -> DType.ofLabel(label)), json.real()));
                }
                case "bytesPerSecond", "launchNanos" -> numbers.put(field, json.real());
                default -> throw json.unknownField(field, DEVICE_FIELDS);
            }
        });
        return json.parsed(() -> new DeviceSpec(
                given(texts, "name"), rates, given(numbers, "bytesPerSecond"), given(numbers, "launchNanos")));
    }

    private static <T> T given(Map<String, T> values, String field) {
        T value = values.get(field);
        if (value == null) {
            throw new IllegalArgumentException("the field \"" + field + "\" is missing");
        }
        return value;
    }
}
