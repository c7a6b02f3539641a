package dev.remat.ir.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Text that comes with the program. */
public final class TextResource {
    private TextResource() {}

    /**
     * All of it.
     *
     * @param found as the module finds it that it lies in; null if it does not
     * @throws IllegalStateException if it was not found
     */
    public static String read(InputStream found, String name) {
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
