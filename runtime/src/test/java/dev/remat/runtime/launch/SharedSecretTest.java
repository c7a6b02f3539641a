package dev.remat.runtime.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.natives.CacheFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedSecretTest {
    @TempDir
    Path folder;

    private CacheFolder cache() {
        return new CacheFolder(Optional.of(folder.resolve("cache")), false);
    }

    @Test
    void whatIsSaidIsTaken() throws IOException {
        SharedSecret said = SharedSecret.find(Optional.of("0123456789abcdef"), cache());
        assertThat(new String(said.bytes(), StandardCharsets.US_ASCII)).isEqualTo("0123456789abcdef");
        assertThat(folder.resolve("cache")).doesNotExist();
        assertThatThrownBy(() -> SharedSecret.find(Optional.of("0123456789abcde"), cache()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("REMAT_TOKEN has less than 16 characters");
        assertThat(SharedSecret.newToken()).hasSize(64).isNotEqualTo(SharedSecret.newToken());
    }

    @Test
    void allWhoStartAtOnceHaveOneKey() throws IOException {
        List<String> keys = IntStream.range(0, 32)
                .parallel()
                .mapToObj(_ -> key())
                .distinct()
                .toList();
        assertThat(keys).hasSize(1);
        assertThat(keys.getFirst()).hasSize(64);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("cache/ranks.key"))))
                .isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            assertThat(files).hasSize(1);
        }
    }

    private String key() {
        try {
            return new String(SharedSecret.find(Optional.empty(), cache()).bytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatOthersCanReadIsNoSecret() throws IOException {
        key();
        Path file = folder.resolve("cache/ranks.key");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> SharedSecret.find(Optional.empty(), cache()))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContainingAll("ranks.key", "rw-r-----", "delete it");
    }

    @Test
    void withoutAHomeItHasToBeSaid() {
        assertThatThrownBy(() -> SharedSecret.find(Optional.empty(), new CacheFolder(Optional.empty(), false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("set REMAT_TOKEN");
    }
}
