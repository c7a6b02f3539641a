package dev.remat.cli.chunk;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;

/** The field {@code chunks} of a plan. */
public final class ChunksJson {
    private ChunksJson() {}

    /** Nothing where all losses are whole. */
    public static void write(List<ChunkedLoss> losses, JsonGenerator out) throws IOException {
        if (losses.isEmpty()) {
            return;
        }
        JsonFields.objects(out, "chunks", losses, loss -> {
            out.writeStringField("name", loss.name());
            out.writeStringField("at", loss.location().toString());
            out.writeNumberField("rows", loss.rows());
            out.writeNumberField("count", loss.count());
            out.writeNumberField("bytes", loss.bytes());
            out.writeNumberField("wholeBytes", loss.wholeBytes());
        });
    }
}
