package dev.remat.ir.natives;

import dev.remat.ir.io.Sha256;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;
import java.util.SequencedMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** A jar that looks like those with native libraries, and is small. */
final class SmallJar {
    static final String SOURCE = "some/where/";

    private SmallJar() {}

    /** Libraries of these contents, in a jar at {@code file}. */
    static NativeLibraries libraries(Path file, SequencedMap<String, byte[]> contents) throws IOException {
        return libraries(file, contents, list(contents));
    }

    /** The same, with a list that may tell of others. */
    static NativeLibraries libraries(Path file, SequencedMap<String, byte[]> contents, String list) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream entries = new JarOutputStream(out)) {
            for (Map.Entry<String, byte[]> content : contents.entrySet()) {
                entries.putNextEntry(new JarEntry(SOURCE + content.getKey()));
                entries.write(content.getValue());
                entries.closeEntry();
            }
        }
        ClassLoader classPath = new URLClassLoader(new URL[] {file.toUri().toURL()}, null);
        return new NativeLibraries("Small One", "group:artifact", SOURCE, classPath, list);
    }

    /** As {@code sha256sum} prints it. */
    static String list(SequencedMap<String, byte[]> contents) {
        StringBuilder list = new StringBuilder();
        contents.forEach((name, content) -> {
            MessageDigest digest = Sha256.digest();
            digest.update(content);
            list.append(Sha256.hex(digest)).append("  ").append(name).append('\n');
        });
        return list.toString();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
