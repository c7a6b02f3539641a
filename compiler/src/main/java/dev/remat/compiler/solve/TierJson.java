package dev.remat.compiler.solve;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.plan.Tier;
import java.io.IOException;

/** Tiers as problems, recipes and reports have them. */
public final class TierJson {
    static final String STORE_RATE = "storeBytesPerSecond";
    static final String FETCH_RATE = "fetchBytesPerSecond";
    static final String LATENCY = "latencyNanos";
    /** Left out where it is zero. */
    public static final String INTERFERENCE = "interferenceNanosPerMegabyte";

    private TierJson() {}

    /** As an object. */
    public static void write(Tier tier, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", tier.name());
        json.writeNumberField("bytes", tier.bytes());
        writeRates(tier, json);
        json.writeEndObject();
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
