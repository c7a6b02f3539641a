package dev.remat.ir.execution;

import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.plan.Lane;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Reads what {@link TransfersWriter} writes. */
final class TransfersReader {
    private static final List<String> EVENTS = List.of("store", "fetch", TransfersWriter.AWAIT);

    private final JsonCursor json;

    TransfersReader(JsonCursor json) {
        this.json = json;
    }

    Transfers read() throws IOException {
        List<PlaceSize> places = json.field("places").list(this::place);
        List<TransferEvent> events = json.field("transfers").list(this::event);
        return json.parsed(() -> new Transfers(places, events));
    }

    private PlaceSize place() throws IOException {
        json.beginObject();
        String name = json.field("name").text();
        long bytes = json.field("bytes").unsigned();
        json.endObject();
        return json.parsed(() -> new PlaceSize(name, bytes));
    }

    private TransferEvent event() throws IOException {
        json.beginObject();
        String kind = json.field("event").oneOf(EVENTS);
        int before = json.field("before").index();
        TransferEvent event = kind.equals(TransfersWriter.AWAIT)
                ? new Await(before, json.field("transfer").index())
                : new Begin(before, transfer(Lane.valueOf(kind.toUpperCase(Locale.ROOT))));
        json.endObject();
        return event;
    }

    private Transfer transfer(Lane lane) throws IOException {
        int place = json.field("place").index();
        int value = json.field("value").index();
        int stored = json.field("stored").index();
        String name = json.field("name").text();
        long offset = json.field("offset").unsigned();
        long bytes = json.field("bytes").unsigned();
        long below = json.field("below").unsigned();
        List<Integer> waits = json.field("waits").list(json::index);
        boolean frees = json.field("frees").flag();
        return json.parsed(() ->
                new Transfer(lane, place, value, stored, name, new ByteRange(offset, bytes), below, waits, frees));
    }
}
