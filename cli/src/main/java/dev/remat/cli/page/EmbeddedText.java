package dev.remat.cli.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.zip.GZIPOutputStream;

/** Text of any content as it may stand in a page. */
final class EmbeddedText {
    private EmbeddedText() {}

    /** For the content of an element, and for an attribute in double quotes. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** An object of JSON, in gzip and Base64: a fraction of its size, and letters and digits alone. */
    static String packed(Json.Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(new GZIPOutputStream(bytes))) {
            out.writeStartObject();
            fields.writeTo(out);
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
