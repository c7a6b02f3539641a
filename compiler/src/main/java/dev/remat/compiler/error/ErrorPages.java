package dev.remat.compiler.error;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Explanations of the diagnostic codes, one Markdown page each, with an example that causes the error. */
public final class ErrorPages {
    private ErrorPages() {}

    /** Page of {@code code}, such as {@code E0102}; empty for a code that no diagnostic has. */
    public static Optional<String> find(String code) {
        return codes().contains(code) ? Optional.of(read(code + ".md")) : Optional.empty();
    }

    /** Every code there is, in order. */
    public static List<String> codes() {
        return read("index.txt").lines().toList();
    }

    private static String read(String name) {
        try (InputStream page = ErrorPages.class.getResourceAsStream("/errors/" + name)) {
            if (page == null) {
                throw new IllegalStateException("missing resource errors/" + name);
            }
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
