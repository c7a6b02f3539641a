package dev.remat.codegen.cuda.nvrtc;

import dev.remat.ir.io.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;

/**
 * The two native libraries of NVRTC as they lie on the class path, in the redistributable package of JavaCPP's CUDA
 * presets, and where they are unpacked. Nothing else of that package is touched.
 *
 * @param libraries in the order in which they are loaded
 */
record NvrtcPackage(List<Library> libraries) {
    private static final String FOLDER = "org/bytedeco/cuda/linux-x86_64/";
    private static final String VERSION = "13.1";
    /** NVRTC opens its builtins by name, and finds the ones that are loaded already. */
    private static final List<String> NAMES = List.of("libnvrtc-builtins.so." + VERSION, "libnvrtc.so.13");

    private static final int CHUNK_BYTES = 1 << 20;

    NvrtcPackage {
        libraries = List.copyOf(libraries);
    }

    /**
     * @param name of the file
     * @param bytes its length
     * @param crc its CRC-32, as the jar states it
     */
    record Library(String name, long bytes, long crc, URL source) {
        @Override
        public String toString() {
            return name + " of " + bytes + " bytes with CRC " + crc;
        }
    }

    /** @throws NvrtcUnavailableException if the class path does not hold it, or not for this platform */
    static NvrtcPackage find() {
        return find(NvrtcPackage.class.getClassLoader());
    }

    static NvrtcPackage find(ClassLoader classPath) {
        String platform = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        if (!platform.equals("Linux on amd64")) {
            throw new NvrtcUnavailableException("NVRTC is there for Linux on amd64 only, and this is " + platform
                    + "; build on such a machine, it needs no GPU");
        }
        List<Library> libraries = new ArrayList<>();
        for (String name : NAMES) {
            URL source = classPath.getResource(FOLDER + name);
            if (source == null) {
                throw new NvrtcUnavailableException("NVRTC is not on the class path: " + name + " is missing; add"
                        + " org.bytedeco:cuda-redist with classifier linux-x86_64, in the version that pom.xml names");
            }
            libraries.add(describe(name, source));
        }
        return new NvrtcPackage(libraries);
    }

    private static Library describe(String name, URL source) {
        try {
            if (!(source.openConnection() instanceof JarURLConnection connection)) {
                throw new NvrtcUnavailableException(source + " is not in a jar, so it cannot be checked");
            }
            JarEntry entry = connection.getJarEntry();
            return new Library(name, entry.getSize(), entry.getCrc(), source);
        } catch (IOException e) {
            throw new NvrtcUnavailableException("NVRTC cannot be read from the class path: " + e, e);
        }
    }

    /** Says exactly which NVRTC this is, without loading it: {@code 13.1-8c1f60be}. */
    String version() {
        CRC32 both = new CRC32();
        libraries.forEach(library -> both.update(library.toString().getBytes(StandardCharsets.UTF_8)));
        return VERSION + "-" + HexFormat.of().toHexDigits((int) both.getValue());
    }

    /**
     * Unpacks what is missing or damaged below {@code cache}, once even if several processes ask at a time.
     *
     * @return where the libraries are, in the order in which they are to be loaded
     * @throws NvrtcUnavailableException if there is no room, or no right to write
     */
    List<Path> unpack(Path cache) {
        Path folder = cache.resolve("nvrtc-" + version());
        try {
            PrivateFolder.create(folder);
            return unpackInto(folder);
        } catch (IOException e) {
            long megabytes = libraries.stream().mapToLong(Library::bytes).sum() / 1_000_000 + 1;
            throw new NvrtcUnavailableException(
                    "NVRTC cannot be unpacked: " + e.getMessage() + "; it takes " + megabytes + " MB below " + cache
                            + ", or below what REMAT_CACHE_DIR names",
                    e);
        }
    }

    private List<Path> unpackInto(Path folder) throws IOException {
        // A file lock keeps processes apart, and fails between threads of one.
        synchronized (NvrtcPackage.class) {
            try (FileChannel lock =
                    FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lock.lock();
                List<Path> files = new ArrayList<>();
                for (Library library : libraries) {
                    Path file = folder.resolve(library.name());
                    if (!isWhole(file, library)) {
                        deleteLeftovers(folder);
                        AtomicFile.write(file, target -> copy(library, target));
                    }
                    files.add(file);
                }
                return files;
            }
        }
    }

    private static boolean isWhole(Path file, Library library) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) != library.bytes()) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file);
                Arena arena = Arena.ofConfined()) {
            CRC32 crc = new CRC32();
            crc.update(channel.map(MapMode.READ_ONLY, 0, channel.size(), arena).asByteBuffer());
            return crc.getValue() == library.crc();
        }
    }

    /** Deletes what a process that was killed while it unpacked has left; the lock says that none is unpacking now. */
    private static void deleteLeftovers(Path folder) throws IOException {
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(folder, ".*.tmp")) {
            for (Path leftover : leftovers) {
                Files.delete(leftover);
            }
        }
    }

    private static void copy(Library library, FileChannel target) throws IOException {
        try (InputStream in = library.source().openStream()) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, read);
                while (buffer.hasRemaining()) {
                    target.write(buffer);
                }
            }
        }
    }
}
