package dev.remat.runtime.gloo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that finds nothing unpacked, as the first of a user does, and one behind it. */
class GlooTest {
    @TempDir
    Path cache;

    /** What such a process runs. */
    static final class Describe {
        private Describe() {}

        public static void main(String[] words) {
            System.out.println(new Gloo().describe());
        }
    }

    private String describe() throws Exception {
        Path said = cache.resolveSibling(cache.getFileName() + ".txt");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dorg.bytedeco.javacpp.cachedir=" + cache,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Describe.class.getName()))
                .directory(cache.toFile())
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        return Files.readString(said, StandardCharsets.UTF_8);
    }

    @Test
    void loadsWhatItUnpacks() throws Exception {
        String first = describe();
        assertThat(first).startsWith("Gloo of PyTorch ");
        try (var files = Files.list(cache)) {
            assertThat(files).anyMatch(file -> file.toString().endsWith(".unpacked"));
        }
        assertThat(describe()).isEqualTo(first);
    }
}
