package dev.remat.cli.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import dev.remat.cli.console.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Text of any content as it may stand in a page. */
final class EmbeddedText {
    private EmbeddedText() {}

    /** So that no text can end the element that it stands in, or begin a comment: {@code <} is always escaped. */
    private static final class NoMarkup extends CharacterEscapes {
        private static final int[] ESCAPES = escapes();

        private static int[] escapes() {
            int[] escapes = standardAsciiEscapesForJSON();
            escapes['<'] = ESCAPE_STANDARD;
            return escapes;
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return ESCAPES;
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            return null;
        }
    }

    /** For the content of an element, and for an attribute in double quotes. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** For the content of a {@code script} element. */
    static String json(Json.Fields fields) {
        StringWriter text = new StringWriter();
        JsonFactory factory = new JsonFactory().setCharacterEscapes(new NoMarkup());
        try (JsonGenerator out = factory.createGenerator(text)) {
            out.writeStartObject();
            fields.writeTo(out);
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }
}
