package dev.remat.ir.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.natives.KeptFiles.Total;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptFilesTest {
    private static final byte[] CONTENT = {1, 2, 3};

    @TempDir
    Path around;

    private KeptFiles open(long mostBytes) throws IOException {
        return KeptFiles.open(folder(), "thing", mostBytes);
    }

    private Path folder() {
        return around.resolve("things");
    }

    private Path file(String key) {
        return folder().resolve(key + ".thing");
    }

    @Test
    void findsWhatItKept() throws IOException {
        open(1000).keep("k", CONTENT);
        open(1000).keep("empty", new byte[0]);
        assertThat(open(1000).find("k")).contains(CONTENT);
        assertThat(open(1000).find("empty")).contains(new byte[0]);
        assertThat(open(1000).find("other")).isEmpty();
        open(1000).keep("k", new byte[] {4});
        assertThat(open(1000).find("k")).contains(new byte[] {4});
        open(1000).drop("k");
        open(1000).drop("k");
        assertThat(open(1000).find("k")).isEmpty();
    }

    @Test
    void refusesDamagedAndCutFiles() throws IOException {
        KeptFiles kept = open(1000);
        kept.keep("k", CONTENT);
        byte[] whole = Files.readAllBytes(file("k"));
        for (int i = 0; i < whole.length; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 0x10;
            Files.write(file("k"), damaged);
            assertThatThrownBy(() -> kept.find("k")).isInstanceOf(DamagedFileException.class);
            Files.write(file("k"), Arrays.copyOf(whole, i));
            assertThatThrownBy(() -> kept.find("k")).isInstanceOf(DamagedFileException.class);
        }
        Files.write(file("k"), whole);
        assertThat(kept.find("k")).contains(CONTENT);
        Files.copy(file("k"), folder().resolve("k.other"));
        assertThatThrownBy(() -> KeptFiles.open(folder(), "other", 1000).find("k"))
                .isInstanceOf(DamagedFileException.class);
    }

    /** Nothing is read through a link, nor written. */
    @Test
    void followsNoLinks() throws IOException {
        KeptFiles kept = open(1000);
        kept.keep("k", CONTENT);
        Path elsewhere = around.resolve("elsewhere");
        Files.move(file("k"), elsewhere);
        byte[] there = Files.readAllBytes(elsewhere);
        Files.createSymbolicLink(file("k"), elsewhere);
        assertThatThrownBy(() -> kept.find("k")).isInstanceOf(DamagedFileException.class);
        kept.keep("k", new byte[] {9});
        assertThat(kept.find("k")).contains(new byte[] {9});
        assertThat(elsewhere).hasBinaryContent(there);
    }

    @Test
    void dropsWhatWasUsedLongestAgo() throws IOException {
        long each = 3 + "remat thing\n".length() + 32;
        KeptFiles kept = open(3 * each);
        for (int i = 0; i < 3; i++) {
            kept.keep("k" + i, CONTENT);
            Files.setLastModifiedTime(file("k" + i), FileTime.fromMillis(1000L * i));
        }
        assertThat(KeptFiles.total(folder())).isEqualTo(new Total(3, 3 * each));
        kept.use("k0", FileTime.fromMillis(5000));
        kept.keep("last", CONTENT);
        assertThat(kept.find("k1")).isEmpty();
        assertThat(kept.find("k0")).isPresent();
        assertThat(kept.find("k2")).isPresent();
        assertThat(kept.find("last")).isPresent();
    }

    /** What a writer that was killed has left would stay for good; what one is writing must stay. */
    @Test
    void leftoversGo() throws IOException {
        KeptFiles kept = open(200);
        Path leftover = folder().resolve(".other.thing.999999999-1.tmp");
        Path writing =
                folder().resolve(".other.thing." + ProcessHandle.current().pid() + "-1.tmp");
        Files.write(leftover, new byte[200]);
        Files.write(writing, new byte[200]);
        kept.keep("k", CONTENT);
        assertThat(leftover).doesNotExist();
        assertThat(writing).exists();
        assertThat(kept.find("k")).isPresent();
    }

    @Test
    void aFolderThatCannotBeMadeIsRefused() throws IOException {
        Files.write(folder(), CONTENT);
        assertThatThrownBy(() -> open(1000)).isInstanceOf(FileSystemException.class);
        assertThat(KeptFiles.total(around.resolve("none"))).isEqualTo(new Total(0, 0));
    }

    /** What one drops, another may be about to read. */
    @Test
    void manyMayWriteAndReadAtOnce() throws Exception {
        byte[] content = new byte[10_000];
        Callable<Void> work = () -> {
            KeptFiles mine = open(30_000);
            for (int i = 0; i < 40; i++) {
                mine.keep("k" + i % 5, content);
                mine.find("k" + (i + 1) % 5)
                        .ifPresent(found -> assertThat(found).isEqualTo(content));
            }
            return null;
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (Future<Void> one : threads.invokeAll(Collections.nCopies(4, work))) {
                one.get();
            }
        }
        assertThat(KeptFiles.total(folder()).files()).isEqualTo(2);
        assertThat(KeptFiles.total(folder()).bytes()).isLessThanOrEqualTo(30_000);
    }
}
