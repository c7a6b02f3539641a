package dev.remat.ir.natives;

import static dev.remat.ir.natives.SmallJar.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.natives.NativeLibraries.Loaded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibrariesTest {
    /** The smallest library of the JDK, which nothing here needs; and a function of it. */
    private static final Path LIBRARY = Path.of(System.getProperty("java.home"), "lib", "librmi.so");

    private static final String FUNCTION = "Java_sun_rmi_transport_GC_maxObjectInspectionAge";
    /** A folder in which nobody can create anything, not even root. */
    private static final Path NOWHERE = Path.of("/proc/nowhere");

    @TempDir
    Path folder;

    private final List<String> notes = new ArrayList<>();

    private NativeLibraries libraries(byte[] content) throws IOException {
        SequencedMap<String, byte[]> contents = new LinkedHashMap<>();
        contents.put("libsmall.so", content);
        return SmallJar.libraries(folder.resolve("small.jar"), contents);
    }

    private NativeLibraries libraries() throws IOException {
        return libraries(Files.readAllBytes(LIBRARY));
    }

    private CacheFolder chosen(String name) {
        return new CacheFolder(Optional.of(folder.resolve(name)), true);
    }

    @AfterEach
    void tellNobody() {
        NativeLibraries.tell(note -> {});
    }

    @Test
    void tellsOnceWhatIsDoneWithoutThem() throws IOException {
        NativeLibraries.tell(notes::add);
        NativeLibraries foreign = libraries(foreignLibrary());
        assertThat(foreign.areLacking()).isFalse();
        assertThat(foreign.loadOr("numbers are added by hand", chosen("cache"))).isFalse();
        assertThat(foreign.loadOr("numbers are added by hand", chosen("cache"))).isFalse();
        assertThat(foreign.areLacking()).isTrue();
        assertThat(notes)
                .singleElement()
                .asString()
                .contains("cannot be loaded: ")
                .endsWith("; numbers are added by hand");
    }

    @Test
    void hasNothingToTellWhereTheyAreLoaded() throws IOException {
        NativeLibraries.tell(notes::add);
        NativeLibraries libraries = libraries();
        assertThat(libraries.loadOr("numbers are added by hand", chosen("cache")))
                .isTrue();
        assertThat(libraries.areLacking()).isFalse();
        assertThat(notes).isEmpty();
    }

    /** The header of a library for 64-bit Arm, with a stack that is not executable. */
    private static byte[] foreignLibrary() {
        ByteBuffer elf = ByteBuffer.allocate(120).order(ByteOrder.LITTLE_ENDIAN);
        elf.putInt(0, 0x464C457F).put(4, (byte) 2).put(5, (byte) 1).put(6, (byte) 1);
        elf.putShort(16, (short) 3).putShort(18, (short) 183).putInt(20, 1);
        elf.putLong(32, 64).putShort(52, (short) 64).putShort(54, (short) 56).putShort(56, (short) 1);
        elf.putInt(64, 0x6474E551).putInt(68, 6);
        return elf.array();
    }

    @Test
    void loadsFromTheCacheFolder() throws IOException {
        NativeLibraries.tell(notes::add);
        Loaded loaded = libraries().load(chosen("cache"));
        assertThat(loaded.symbols().find(FUNCTION)).isPresent();
        assertThat(loaded.isTemporary()).isFalse();
        Path file = loaded.folder().resolve("libsmall.so");
        assertThat(file.startsWith(folder.toRealPath().resolve("cache"))).isTrue();
        assertThat(Files.readString(Path.of("/proc/self/maps"))).contains(file.toString());
        assertThat(notes).isEmpty();
    }

    /** A home that takes no files: each start unpacks to a folder of its own, which does not stay. */
    @Test
    void loadsFromATemporaryFolderWhereTheHomeTakesNothing() throws IOException {
        NativeLibraries.tell(notes::add);
        for (Optional<Path> home : List.of(Optional.of(NOWHERE), Optional.<Path>empty())) {
            Loaded loaded = libraries().load(new CacheFolder(home, false));
            assertThat(loaded.symbols().find(FUNCTION)).isPresent();
            assertThat(loaded.isTemporary()).isTrue();
            assertThat(loaded.folder()).doesNotExist();
        }
        assertThat(notes).hasSize(2).allMatch(note -> note.startsWith("Small One was unpacked to a temporary folder"));
        assertThat(notes.get(0)).contains(NOWHERE.toString()).contains("REMAT_CACHE_DIR");
        assertThat(notes.get(1)).contains("there is no home directory");
    }

    @Test
    void takesNoOtherFolderThanTheChosenOne() throws IOException {
        NativeLibraries libraries = libraries();
        assertThatThrownBy(() -> libraries.load(new CacheFolder(Optional.of(NOWHERE), true)))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageStartingWith("Small One cannot be unpacked: /proc/nowhere")
                .hasMessageContaining("REMAT_CACHE_DIR can name another folder");
        Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> libraries.load(chosen("file")))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageContaining("file: is no folder");
    }

    /** That is not a reason to look elsewhere quietly, even where nobody chose the folder. */
    @Test
    void refusesAFolderThatOthersWriteTo() throws IOException {
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        NativeLibraries libraries = libraries();
        assertThatThrownBy(() -> libraries.load(new CacheFolder(Optional.of(shared), false)))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageStartingWith("Small One is not loaded from below " + shared)
                .hasMessageContaining("others may write to it (chmod go-w helps)")
                .hasMessageContaining("REMAT_CACHE_DIR");
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(libraries.load(new CacheFolder(Optional.of(shared), false)).isTemporary())
                .isFalse();
    }

    @Test
    void saysWhatCannotBeLoaded() throws IOException {
        NativeLibraries foreign = libraries(foreignLibrary());
        assertThatThrownBy(() -> foreign.load(chosen("cache")))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageStartingWith("Small One cannot be loaded: ")
                .hasMessageContaining("libsmall.so")
                .hasMessageContaining("let REMAT_CACHE_DIR name another");
    }

    @Test
    void saysWhichJarIsMissing() throws IOException {
        SequencedMap<String, byte[]> listed = new LinkedHashMap<>();
        listed.put("libother.so", bytes("other"));
        NativeLibraries libraries =
                SmallJar.libraries(folder.resolve("empty.jar"), new LinkedHashMap<>(), SmallJar.list(listed));
        assertThatThrownBy(() -> libraries.load(chosen("cache")))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessage("Small One is not on the class path: libother.so is missing; add group:artifact");
        System.setProperty("remat.bundle", "true");
        try {
            assertThatThrownBy(() -> libraries.load(chosen("cache")))
                    .isInstanceOf(LibraryUnavailableException.class)
                    .hasMessage("Small One is not in this bundle, which runs what was built where remat is installed");
        } finally {
            System.clearProperty("remat.bundle");
        }
    }

    @Test
    void knowsItsLibrariesByTheirContent() throws IOException {
        assertThat(libraries(bytes("a")).hash())
                .matches("[0-9a-f]{8}")
                .isEqualTo(libraries(bytes("a")).hash())
                .isNotEqualTo(libraries(bytes("b")).hash());
    }
}
