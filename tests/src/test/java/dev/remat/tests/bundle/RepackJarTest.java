package dev.remat.tests.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepackJarTest {
    @TempDir
    Path folder;

    private Path out;

    @BeforeEach
    void makeFolder() throws IOException {
        out = Files.createDirectory(folder.resolve("out"));
    }

    private Path jar(String... entries) throws IOException {
        Path jar = folder.resolve("a.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write(entry.repeat(100).getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    @Test
    void keepsTheLibrariesThatAreAskedForAndAllElse() throws IOException {
        Path jar =
                jar("p/B.class", "linux/libb.so.1.2", "META-INF/MANIFEST.MF", "linux/liba.so.1", "p/A.class", "x.dll");
        RepackJar.run(jar, Set.of("linux/liba.so.1"), out);
        try (ZipFile zip = new ZipFile(out.resolve("a.jar").toFile())) {
            List<? extends ZipEntry> entries = zip.stream().toList();
            assertThat(entries)
                    .extracting(ZipEntry::getName)
                    .containsExactly("META-INF/MANIFEST.MF", "linux/liba.so.1", "p/A.class", "p/B.class");
            assertThat(entries)
                    .allSatisfy(entry -> assertThat(entry.getMethod()).isEqualTo(ZipEntry.STORED));
            assertThat(zip.getInputStream(entries.get(2)).readAllBytes())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("p/A.class".repeat(100));
        }
    }

    @Test
    void leavesOutAJarOfLibrariesAlone() throws IOException {
        Path jar = jar("META-INF/MANIFEST.MF", "darwin/liba.dylib");
        RepackJar.run(jar, Set.of("linux/liba.so.1"), out);
        assertThat(out).isEmptyDirectory();
        RepackJar.run(jar, Set.of("darwin/liba.dylib"), out);
        assertThat(out.resolve("a.jar")).exists();
    }

    @Test
    void keepsAJarOfResources() throws IOException {
        RepackJar.run(jar("META-INF/MANIFEST.MF", "META-INF/resources/webjars/d3/7.9.0/d3.min.js"), Set.of(), out);
        assertThat(out.resolve("a.jar")).exists();
    }
}
