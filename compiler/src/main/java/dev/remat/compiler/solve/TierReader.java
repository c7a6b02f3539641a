package dev.remat.compiler.solve;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a tier of {@code remat-problem/2}. */
final class TierReader {
    /** Where values live that have no other home; no tier's name. */
    static final String DEVICE = "device";

    private static final List<String> NEEDED = List.of(TierJson.BYTES, TierJson.STORE_RATE, TierJson.FETCH_RATE);
    private static final List<String> FIELDS = List.of(
            "name", TierJson.BYTES, TierJson.STORE_RATE, TierJson.FETCH_RATE, TierJson.LATENCY, TierJson.INTERFERENCE);

    private TierReader() {}

    /** @throws dev.remat.ir.diagnostic.ModelException if a field is missing */
    static Tier read(String file, JsonCursor json) throws IOException {
        Location start = json.location(file);
        Map<String, Long> numbers = new LinkedHashMap<>();
        StringBuilder name = new StringBuilder();
        json.beginObject();
        json.fields(field -> {
            switch (field) {
                case "name" -> name.append(name(json));
                case TierJson.BYTES, TierJson.LATENCY, TierJson.INTERFERENCE -> numbers.put(field, json.unsigned());
                case TierJson.STORE_RATE, TierJson.FETCH_RATE -> numbers.put(field, rate(json));
                default -> throw json.unknownField(field, FIELDS);
            }
        });
        if (name.isEmpty()) {
            throw JsonDiagnostics.field(start, "a tier needs a 'name'");
        }
        Optional<String> missing =
                NEEDED.stream().filter(field -> !numbers.containsKey(field)).findFirst();
        if (missing.isPresent()) {
            throw JsonDiagnostics.field(start, "tier '" + name + "' needs '" + missing.get() + "'");
        }
        return new Tier(
                name.toString(),
                numbers.get(TierJson.BYTES),
                numbers.get(TierJson.STORE_RATE),
                numbers.get(TierJson.FETCH_RATE),
                numbers.getOrDefault(TierJson.LATENCY, 0L),
                numbers.getOrDefault(TierJson.INTERFERENCE, 0L));
    }

    private static String name(JsonCursor json) throws IOException {
        String text = json.text();
        if (text.isEmpty() || text.equals(DEVICE)) {
            throw json.corrupt("a tier cannot be called '" + text + "'");
        }
        return text;
    }

    private static long rate(JsonCursor json) throws IOException {
        long rate = json.unsigned();
        if (rate == 0) {
            throw json.corrupt("a rate above zero is expected");
        }
        return rate;
    }
}
