package dev.remat.ir.execution;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.Locale;

/** The fields of a plan that tell its transfers; {@link TransfersReader} expects them in this order. */
final class TransfersWriter {
    static final String AWAIT = "await";

    private final JsonGenerator json;

    TransfersWriter(JsonGenerator json) {
        this.json = json;
    }

    void write(Transfers transfers) throws IOException {
        JsonFields.objects(json, "places", transfers.places(), place -> {
            json.writeStringField("name", place.name());
            json.writeNumberField("bytes", place.bytes());
        });
        JsonFields.objects(json, "transfers", transfers.events(), event -> {
            switch (event) {
                case Begin(int before, Transfer transfer) -> write(before, transfer);
                case Await(int before, int transfer) -> {
                    json.writeStringField("event", AWAIT);
                    json.writeNumberField("before", before);
                    json.writeNumberField("transfer", transfer);
                }
            }
        });
    }

    private void write(int before, Transfer transfer) throws IOException {
        json.writeStringField("event", transfer.lane().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("before", before);
        json.writeNumberField("place", transfer.place());
        json.writeNumberField("value", transfer.value());
        json.writeNumberField("stored", transfer.stored());
        json.writeStringField("name", transfer.name());
        json.writeNumberField("offset", transfer.range().offset());
        json.writeNumberField("bytes", transfer.range().bytes());
        json.writeNumberField("below", transfer.offset());
        JsonFields.array(json, "waits", transfer.waits(), other -> json.writeNumber(other));
        json.writeBooleanField("frees", transfer.frees());
    }
}
