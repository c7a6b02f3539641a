package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilationCacheTest {
    private static final Compilation COMPILATION = new Compilation(new byte[] {1, 2, 3}, "a log, ä", "");

    @TempDir
    Path folder;

    private CompilationCache open(long mostBytes) throws IOException {
        return CompilationCache.open(folder.resolve("cubins"), mostBytes);
    }

    private Path file(String key) {
        return folder.resolve("cubins").resolve(key + ".cubin");
    }

    @Test
    void findsWhatItKept() throws IOException {
        open(1000).keep("k", COMPILATION);
        assertThat(open(1000).find("k")).hasValueSatisfying(found -> {
            assertThat(found.cubin()).containsExactly(1, 2, 3);
            assertThat(found.log()).isEqualTo("a log, ä");
        });
        assertThat(open(1000).find("other")).isEmpty();
    }

    @Test
    void findsNothingInDamagedOrTornFiles() throws IOException {
        CompilationCache cache = open(1000);
        cache.keep("k", COMPILATION);
        byte[] whole = Files.readAllBytes(file("k"));
        for (int i = 0; i < whole.length; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 0x10;
            Files.write(file("k"), damaged);
            assertThat(cache.find("k")).as("byte %d", i).isEmpty();
            Files.write(file("k"), Arrays.copyOf(whole, i));
            assertThat(cache.find("k")).as("first %d bytes", i).isEmpty();
        }
        Files.write(file("k"), whole);
        assertThat(cache.find("k")).isPresent();
    }

    @Test
    void dropsTheOldestBeyondItsLimit() throws IOException {
        CompilationCache cache = open(250);
        for (int i = 0; i < 3; i++) {
            cache.keep("k" + i, COMPILATION);
            Files.setLastModifiedTime(file("k" + i), FileTime.fromMillis(1000L * i));
        }
        assertThat(Files.size(file("k0"))).isBetween(50L, 83L);
        cache.keep("large", new Compilation(new byte[50], "", ""));
        assertThat(cache.find("k0")).isEmpty();
        assertThat(cache.find("k2")).isPresent();
        assertThat(cache.find("large")).isPresent();
    }

    /** Every part counts, and where one ends. */
    @Test
    void namesACompilationAfterAllThatItFollowsFrom() {
        assertThat(List.of(
                        CompilationCache.key("c", List.of("o", "p"), "text"),
                        CompilationCache.key("d", List.of("o", "p"), "text"),
                        CompilationCache.key("c", List.of("o"), "text"),
                        CompilationCache.key("c", List.of("o", "p"), "text "),
                        CompilationCache.key("c", List.of("o", "pt"), "ext")))
                .doesNotHaveDuplicates()
                .allMatch(key -> key.matches("[0-9a-f]{64}"));
        assertThat(CompilationCache.key("c", List.of("o"), "t"))
                .isEqualTo(CompilationCache.key("c", List.of("o"), "t"));
    }
}
