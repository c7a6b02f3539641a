package dev.remat.compiler.solve;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.plan.Tier;
import java.io.IOException;

/** Tiers as problems, recipes and reports have them. */
public final class TierJson {
    static final String BYTES = "bytes";
    static final String STORE_RATE = "storeBytesPerSecond";
    static final String FETCH_RATE = "fetchBytesPerSecond";
    static final String LATENCY = "latencyNanos";
    /** Left out where it is zero. */
    static final String INTERFERENCE = "interferenceNanosPerMegabyte";

    private TierJson() {}

    /** As an object. */
    public static void write(Tier tier, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", tier.name());
        json.writeNumberField(BYTES, tier.bytes());
        writeRates(tier, json);
        json.writeEndObject();
    }

    /**
     * What {@link #write} wrote, fields in the same order.
     *
     * @throws dev.remat.ir.json.CorruptJsonException if it is anything else
     */
    public static Tier read(JsonCursor json) throws IOException {
        json.beginObject();
        String name = json.field("name").text();
        long bytes = json.field(BYTES).unsigned();
        long store = json.field(STORE_RATE).unsigned();
        long fetch = json.field(FETCH_RATE).unsigned();
        long latency = json.field(LATENCY).unsigned();
        long interference = json.atField() ? json.field(INTERFERENCE).unsigned() : 0;
        json.endObject();
        return json.parsed(() -> new Tier(name, bytes, store, fetch, latency, interference));
    }

    /** Fields that say how fast it is. */
    public static void writeRates(Tier tier, JsonGenerator json) throws IOException {
        json.writeNumberField(STORE_RATE, tier.storeBytesPerSecond());
        json.writeNumberField(FETCH_RATE, tier.fetchBytesPerSecond());
        json.writeNumberField(LATENCY, tier.latencyNanos());
        if (tier.interferenceNanosPerMegabyte() > 0) {
            json.writeNumberField(INTERFERENCE, tier.interferenceNanosPerMegabyte());
        }
    }
}
