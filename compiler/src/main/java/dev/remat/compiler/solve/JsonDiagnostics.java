package dev.remat.compiler.solve;

import com.fasterxml.jackson.core.JsonParser;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Reads users' JSON; whatever is wrong becomes a diagnostic with its location. */
final class JsonDiagnostics {
    private static final String SYNTAX = "E0601";
    private static final String FIELD = "E0602";
    private static final String VALUE = "E0603";

    /** Takes the value that fills a text. */
    interface Reader<T> {
        T read(JsonCursor json) throws IOException;
    }

    private JsonDiagnostics() {}

    /** @throws ModelException if the text is not what {@code reader} expects */
    static <T> T read(Source source, Reader<T> reader) {
        try (JsonParser parser = JsonText.FACTORY.createParser(source.text())) {
            JsonCursor json = new JsonCursor(parser);
            T result = reader.read(json);
            json.end();
            return result;
        } catch (CorruptJsonException e) {
            throw error(code(e.kind()), new Location(source.file(), e.line(), e.column()), e.problem(), e.notes());
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
    }

    /** An object lacks a field, or has one that does not go with the others. */
    static ModelException field(Location location, String message) {
        return error(FIELD, location, message, List.of());
    }

    private static String code(CorruptJsonException.Kind kind) {
        return switch (kind) {
            case SYNTAX -> SYNTAX;
            case FIELD -> FIELD;
            case VALUE -> VALUE;
        };
    }

    private static ModelException error(String code, Location location, String message, List<String> notes) {
        return new ModelException(List.of(Diagnostic.error(code, location, message, notes.toArray(String[]::new))));
    }
}
