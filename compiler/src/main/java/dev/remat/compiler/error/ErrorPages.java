package dev.remat.compiler.error;

import dev.remat.ir.io.TextResource;
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
        return TextResource.read(ErrorPages.class.getResourceAsStream("/errors/" + name), "errors/" + name);
    }
}
