package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No kernel multiplies in 32 bits what it reads as 64. */
class LateWideningTest {
    private static final Path SOURCES =
            Path.of("").toAbsolutePath().resolveSibling("codegen-cuda").resolve("src/main");

    @Test
    void noHeaderAndNoGeneratedTextWidensAProduct() throws IOException {
        List<String> found = new ArrayList<>();
        int casts = 0;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(each -> each.toString().matches(".*\\.(cuh|java)"))
                    .sorted()
                    .toList()) {
                String text = Files.readString(file);
                casts += text.split("static_cast<u64>", -1).length - 1;
                LateWidening.in(text).forEach(each -> found.add(file.getFileName() + ": " + each));
            }
        }
        assertThat(casts).isGreaterThan(50);
        assertThat(found).isEmpty();
    }

    @Test
    void theRuleCanFail() {
        assertThat(LateWidening.in("return static_cast<u64>(index * stride);")).containsExactly("index * stride");
        assertThat(LateWidening.in("to[static_cast<u64>(shape.rows * (a + b) + column)]"))
                .containsExactly("shape.rows * (a + b) + column");
        assertThat(LateWidening.in("u32 n; const u64 all = rows * n + 1;")).containsExactly("rows * n + 1");
        assertThat(LateWidening.in("return static_cast<u64>(index) * stride;")).isEmpty();
        assertThat(LateWidening.in("static_cast<u64>(static_cast<u64>(a) * b + c)"))
                .isEmpty();
        assertThat(LateWidening.in("static_cast<u64>(first + u * T) * V")).isEmpty();
        assertThat(LateWidening.in("static_cast<u64>(i - row * groups) * V")).isEmpty();
        assertThat(LateWidening.in("u64 rows; const u64 all = rows * n;")).isEmpty();
    }
}
