package dev.remat.cli.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Files that pages are made of. */
final class PageResource {
    private PageResource() {}

    /** A file beside this class. */
    static String text(String name) {
        return read(PageResource.class.getResourceAsStream(name), name);
    }

    /** A file of a library, by its path in the library's jar. */
    static String ofLibrary(String path) {
        return read(PageResource.class.getClassLoader().getResourceAsStream(path), path);
    }

    private static String read(InputStream found, String name) {
        if (found == null) {
            throw new IllegalStateException(name + " is missing; remat is not built completely");
        }
        try (InputStream in = found) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
