package dev.remat.ir.natives;

import static dev.remat.ir.natives.SmallJar.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryFolderTest {
    private static final List<String> NAMES = List.of("libneeded.so.2", "libneeding.so.1");

    @TempDir
    Path folder;

    private static SequencedMap<String, byte[]> contents(String content) {
        SequencedMap<String, byte[]> contents = new LinkedHashMap<>();
        NAMES.forEach(name -> contents.put(name, bytes(content + " of " + name)));
        return contents;
    }

    private LibraryFolder small(String content) throws IOException {
        NativeLibraries libraries = SmallJar.libraries(folder.resolve(content + ".jar"), contents(content));
        return LibraryFolder.below(folder.resolve("cache"), libraries);
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    @Test
    void unpacksInTheOrderOfLoadingForThisUserAlone() throws IOException {
        List<Path> files = small("bytes").unpack();
        assertThat(files).extracting(file -> file.getFileName().toString()).containsExactlyElementsOf(NAMES);
        assertThat(files.get(1)).hasContent("bytes of libneeding.so.1");
        assertThat(files).allMatch(file -> file.startsWith(folder.resolve("cache/natives")));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.get(0))))
                .isEqualTo("rw-------");
    }

    @Test
    void keepsWhatIsWhole() throws IOException {
        LibraryFolder small = small("bytes");
        Object first = inode(small.unpack().get(0));
        assertThat(inode(small.unpack().get(0))).isEqualTo(first);
    }

    /** The same size and time, as of a library that somebody wants to have loaded. */
    @Test
    void replacesWhatSomebodyPlanted() throws IOException {
        LibraryFolder small = small("bytes");
        Path planted = small.unpack().get(1);
        FileTime time = Files.getLastModifiedTime(planted);
        Object before = inode(planted);
        Files.writeString(planted, "BYTES of libneeding.so.1");
        Files.setLastModifiedTime(planted, time);
        assertThat(small.unpack().get(1)).hasContent("bytes of libneeding.so.1");
        assertThat(inode(planted)).isNotEqualTo(before);
    }

    @Test
    void replacesWhatIsCutShort() throws IOException {
        LibraryFolder small = small("bytes");
        Files.writeString(small.unpack().get(0), "");
        assertThat(small.unpack().get(0)).hasContent("bytes of libneeded.so.2");
    }

    /** Somebody may have it open, and write to it once it is verified. */
    @Test
    void replacesAFileThatOthersMayWriteTo() throws IOException {
        LibraryFolder small = small("bytes");
        Path file = small.unpack().get(0);
        Object before = inode(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        small.unpack();
        assertThat(inode(file)).isNotEqualTo(before);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void refusesALink() throws IOException {
        LibraryFolder small = small("bytes");
        Path file = small.unpack().get(0);
        Path elsewhere = Files.move(file, folder.resolve("elsewhere"));
        Files.createSymbolicLink(file, elsewhere);
        assertThatThrownBy(small::unpack)
                .isInstanceOf(UntrustedFolderException.class)
                .hasMessage(file + ": is no file; delete it");
        Files.delete(file);
        assertThat(small.unpack()).contains(file);
    }

    @Test
    void refusesAFolderThatOthersWriteTo() throws IOException {
        LibraryFolder small = small("bytes");
        Path own = small.unpack().get(0).getParent();
        for (Path shared : List.of(own, own.getParent(), own.getParent().getParent())) {
            Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThatThrownBy(small::unpack)
                    .isInstanceOf(UntrustedFolderException.class)
                    .hasMessageStartingWith(shared + ": others may write to it");
            Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-x---"));
        }
        assertThat(small.unpack()).hasSize(2);
    }

    @Test
    void deletesWhatAKilledProcessLeft() throws IOException {
        LibraryFolder small = small("bytes");
        List<Path> files = small.unpack();
        Path leftover = Files.writeString(files.get(0).resolveSibling(".libneeded.so.2.1-1.tmp"), "half");
        small.unpack();
        assertThat(leftover).exists();
        Files.delete(files.get(1));
        small.unpack();
        assertThat(leftover).doesNotExist();
    }

    @Test
    void keepsVersionsApart() throws IOException {
        Path first = small("one").unpack().get(1);
        Path second = small("two").unpack().get(1);
        assertThat(first).hasContent("one of libneeding.so.1");
        assertThat(second).hasContent("two of libneeding.so.1");
    }

    @Test
    void refusesAnotherJarThanTheListTellsOf() throws IOException {
        NativeLibraries other =
                SmallJar.libraries(folder.resolve("other.jar"), contents("other"), SmallJar.list(contents("bytes")));
        assertThatThrownBy(() ->
                        LibraryFolder.below(folder.resolve("cache"), other).unpack())
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageContaining("libneeded.so.2 differs");
    }

    @Test
    void unpacksFromSeveralThreads() throws Exception {
        LibraryFolder small = small("bytes");
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<List<Path>>> unpacking = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(small::unpack))
                    .toList();
            for (Future<List<Path>> files : unpacking) {
                assertThat(files.get().get(1)).hasContent("bytes of libneeding.so.1");
            }
        }
    }

    @Test
    void saysWhatIsInTheWay() throws IOException {
        Path file = Files.writeString(folder.resolve("cache"), "");
        assertThatThrownBy(() -> small("bytes").unpack())
                .isInstanceOf(FileSystemException.class)
                .hasMessage(file + ": is no folder");
    }
}
