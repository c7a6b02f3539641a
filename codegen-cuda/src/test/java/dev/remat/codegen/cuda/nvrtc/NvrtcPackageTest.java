package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks from a jar that looks like the real one and is small. */
class NvrtcPackageTest {
    private static final List<String> NAMES = List.of("libnvrtc-builtins.so.13.1", "libnvrtc.so.13");

    @TempDir
    Path folder;

    private NvrtcPackage small(String content) throws IOException {
        Path jar = jar(content + ".jar", name -> (content + " of " + name).getBytes(StandardCharsets.UTF_8));
        return NvrtcPackage.find(new URLClassLoader(new URL[] {jar.toUri().toURL()}, null));
    }

    private Path jar(String file, Function<String, byte[]> contents) throws IOException {
        Path jar = folder.resolve(file);
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            for (String name : NAMES) {
                entries.putNextEntry(new JarEntry("org/bytedeco/cuda/linux-x86_64/" + name));
                entries.write(contents.apply(name));
                entries.closeEntry();
            }
        }
        return jar;
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
    void unpacksBothLibrariesInTheOrderOfLoading() throws IOException {
        List<Path> files = small("bytes").unpack(folder.resolve("cache"));
        assertThat(files).extracting(file -> file.getFileName().toString()).containsExactlyElementsOf(NAMES);
        assertThat(files.get(1)).hasContent("bytes of libnvrtc.so.13");
    }

    @Test
    void repairsWhatIsDamagedAndKeepsWhatIsWhole() throws IOException {
        NvrtcPackage nvrtc = small("bytes");
        List<Path> files = nvrtc.unpack(folder.resolve("cache"));
        Object whole = Files.readAttributes(files.get(0), "unix:ino").get("ino");
        for (String damage : List.of("bytes of libnvrtc.so.14", "short")) {
            Files.writeString(files.get(1), damage);
            assertThat(nvrtc.unpack(folder.resolve("cache"))).isEqualTo(files);
            assertThat(files.get(1)).hasContent("bytes of libnvrtc.so.13");
        }
        assertThat(Files.readAttributes(files.get(0), "unix:ino")).containsEntry("ino", whole);
    }

    @Test
    void deletesWhatAKilledProcessLeft() throws IOException {
        NvrtcPackage nvrtc = small("bytes");
        List<Path> files = nvrtc.unpack(folder.resolve("cache"));
        Path leftover = Files.writeString(files.get(0).resolveSibling(".libnvrtc.so.13.1-1.tmp"), "half");
        nvrtc.unpack(folder.resolve("cache"));
        assertThat(leftover).exists();
        Files.delete(files.get(1));
        nvrtc.unpack(folder.resolve("cache"));
        assertThat(leftover).doesNotExist();
    }

    @Test
    void keepsVersionsApart() throws IOException {
        Path first = small("one").unpack(folder.resolve("cache")).get(1);
        Path second = small("two").unpack(folder.resolve("cache")).get(1);
        assertThat(first).hasContent("one of libnvrtc.so.13");
        assertThat(second).hasContent("two of libnvrtc.so.13");
        assertThat(small("one").version())
                .startsWith("13.1-")
                .isNotEqualTo(small("two").version());
    }

    @Test
    void unpacksFromSeveralThreads() throws Exception {
        NvrtcPackage nvrtc = small("bytes");
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<List<Path>>> unpacking = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> nvrtc.unpack(folder.resolve("cache"))))
                    .toList();
            for (Future<List<Path>> files : unpacking) {
                assertThat(files.get().get(1)).hasContent("bytes of libnvrtc.so.13");
            }
        }
    }

    @Test
    void saysWhatIsMissing() {
        assertThatThrownBy(() -> NvrtcPackage.find(new URLClassLoader(new URL[0], null)))
                .isInstanceOf(NvrtcUnavailableException.class)
                .hasMessageContaining("org.bytedeco:cuda-redist")
                .hasMessageContaining("linux-x86_64");
    }

    @Test
    void saysWhereThereIsNoRoom() throws IOException {
        NvrtcPackage nvrtc = small("bytes");
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> nvrtc.unpack(file))
                .isInstanceOf(NvrtcUnavailableException.class)
                .hasMessageContaining("cannot be unpacked")
                .hasMessageContaining("REMAT_CACHE_DIR");
    }

    @Test
    void saysWhatCannotBeLoaded() throws IOException {
        Path jar = jar("foreign.jar", name -> foreignLibrary());
        NvrtcPackage nvrtc =
                NvrtcPackage.find(new URLClassLoader(new URL[] {jar.toUri().toURL()}, null));
        assertThatThrownBy(() -> Nvrtc.load(nvrtc, folder.resolve("cache")))
                .isInstanceOf(NvrtcUnavailableException.class)
                .hasMessageContaining("cannot be loaded");
    }

    /** The real one is on the class path, of the version that the names are for. */
    @Test
    void findsTheRealOne() {
        assertThat(Nvrtc.load(CompileKernelsTest.LIBRARIES).version()).isEqualTo("13.1");
        assertThat(NvrtcPackage.find().libraries()).hasSize(2).allMatch(library -> library.bytes() > 1_000_000);
    }
}
