package dev.remat.tests.bundle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Writes a jar again without the native libraries that nobody asked for. Nothing in it is compressed, which the archive
 * around it does better, and it depends on the content alone. A jar that held nothing else is left out.
 */
final class RepackJar {
    /** Libraries of any system, and what belongs to their development. */
    private static final Pattern NATIVE =
            Pattern.compile(".*\\.(so|so\\..*|dll|dylib|jnilib|a|lib|h|hpp|cmake|pc|bc|pom)");

    /** What is in every jar. */
    private static final Pattern ABOUT = Pattern.compile("META-INF/(?!resources/).*");

    private static final LocalDateTime ANY_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private RepackJar() {}

    /** @param natives names of the entries that stay although they are libraries */
    static void run(Path jar, Set<String> natives, Path folder) throws IOException {
        try (ZipFile in = new ZipFile(jar.toFile())) {
            List<? extends ZipEntry> kept = in.stream()
                    .filter(entry -> !entry.isDirectory())
                    .filter(entry -> natives.contains(entry.getName())
                            || !NATIVE.matcher(entry.getName()).matches())
                    .sorted(Comparator.comparing(ZipEntry::getName))
                    .toList();
            if (kept.stream().allMatch(entry -> ABOUT.matcher(entry.getName()).matches())) {
                return;
            }
            try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(folder.resolve(jar.getFileName())))) {
                out.setMethod(ZipOutputStream.STORED);
                for (ZipEntry entry : kept) {
                    try (InputStream data = in.getInputStream(entry)) {
                        store(entry.getName(), data.readAllBytes(), out);
                    }
                }
            }
        }
    }

    private static void store(String name, byte[] content, ZipOutputStream out) throws IOException {
        CRC32 checksum = new CRC32();
        checksum.update(content);
        ZipEntry stored = new ZipEntry(name);
        stored.setTimeLocal(ANY_TIME);
        stored.setSize(content.length);
        stored.setCrc(checksum.getValue());
        out.putNextEntry(stored);
        out.write(content);
        out.closeEntry();
    }
}
