package dev.remat.cli.plans;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnHashTest {
    @TempDir
    Path folder;

    private Path jar(String name, String entry, String content, long time) throws IOException {
        Path jar = folder.resolve(name);
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream out = new ZipOutputStream(file)) {
            ZipEntry one = new ZipEntry(entry);
            one.setTime(time);
            out.putNextEntry(one);
            out.write(content.getBytes(StandardCharsets.UTF_8));
            out.closeEntry();
        }
        return jar;
    }

    private Path classes(String name, String entry, String content) throws IOException {
        Path classes = Files.createDirectories(folder.resolve(name));
        Files.writeString(classes.resolve(entry), content);
        return classes;
    }

    @Test
    void anotherClassIsAnotherVersion() throws IOException {
        List<String> hashes = new ArrayList<>();
        for (Path place : List.of(
                jar("a.jar", "A.class", "one", 0),
                jar("b.jar", "A.class", "two", 0),
                jar("c.jar", "B.class", "one", 0),
                classes("d", "A.class", "one"),
                classes("e", "A.class", "two"),
                classes("f", "B.class", "one"))) {
            hashes.add(OwnHash.of(List.of(place)));
        }
        assertThat(hashes).doesNotHaveDuplicates().allMatch(hash -> hash.matches("[0-9a-f]{64}"));
    }

    /** The same classes built again, elsewhere. */
    @Test
    void theSameClassesAreTheSameVersion() throws IOException {
        assertThat(OwnHash.of(List.of(jar("a.jar", "A.class", "one", 0))))
                .isEqualTo(OwnHash.of(List.of(jar("b.jar", "A.class", "one", 86_400_000_000L))));
        assertThat(OwnHash.of(List.of(classes("d", "A.class", "one"))))
                .isEqualTo(OwnHash.of(List.of(classes("e", "A.class", "one"))));
    }

    @Test
    void thisVersionHasOne() throws IOException {
        assertThat(OwnHash.ofProcess()).isPresent().isEqualTo(OwnHash.ofProcess());
    }
}
