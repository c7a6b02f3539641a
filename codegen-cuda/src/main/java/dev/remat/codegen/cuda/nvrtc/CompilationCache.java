package dev.remat.codegen.cuda.nvrtc;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.natives.PrivateFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Compilations on disk, one file each, found by the SHA-256 of everything that they follow from. A file carries the
 * SHA-256 of its own content; one that is torn or damaged counts as missing. Once they outgrow their limit, the ones
 * written first go.
 */
final class CompilationCache {
    /** The longest that files may be all together. */
    static final long MOST_BYTES = 256L << 20;

    private static final byte[] MAGIC = "remat cubin 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int HASH_BYTES = 32;
    private static final String ENDING = ".cubin";

    private final Path folder;
    private final long mostBytes;

    private CompilationCache(Path folder, long mostBytes) {
        this.folder = folder;
        this.mostBytes = mostBytes;
    }

    /**
     * @param folder made if it is missing
     * @throws IOException if it cannot be made, or others may write to it
     */
    static CompilationCache open(Path folder, long mostBytes) throws IOException {
        return new CompilationCache(PrivateFolder.create(folder), mostBytes);
    }

    /** Names a compilation after what it follows from. */
    static String key(String compiler, List<String> options, String text) {
        MessageDigest digest = Sha256.digest();
        for (String part : List.of(compiler, String.join("\n", options), text)) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes.length));
            digest.update(bytes);
        }
        return Sha256.hex(digest);
    }

    /** @throws IOException if there is a file and it cannot be read */
    Optional<Compilation> find(String key) throws IOException {
        try {
            return decode(Files.readAllBytes(folder.resolve(key + ENDING)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    void keep(String key, Compilation compilation) throws IOException {
        AtomicFile.write(folder.resolve(key + ENDING), encode(compilation));
        dropOldest();
    }

    private static byte[] encode(Compilation compilation) {
        byte[] log = compilation.log().getBytes(StandardCharsets.UTF_8);
        int bytes = MAGIC.length + Integer.BYTES + log.length + compilation.cubin().length;
        ByteBuffer file = ByteBuffer.allocate(bytes + HASH_BYTES);
        file.put(MAGIC).putInt(log.length).put(log).put(compilation.cubin());
        file.put(hash(file.array(), bytes));
        return file.array();
    }

    private static Optional<Compilation> decode(byte[] file) {
        int bytes = file.length - HASH_BYTES;
        if (bytes < MAGIC.length || !Arrays.equals(hash(file, bytes), Arrays.copyOfRange(file, bytes, file.length))) {
            return Optional.empty();
        }
        if (!Arrays.equals(MAGIC, Arrays.copyOf(file, MAGIC.length))) {
            return Optional.empty();
        }
        ByteBuffer content = ByteBuffer.wrap(file, MAGIC.length, bytes - MAGIC.length);
        byte[] log = new byte[content.getInt()];
        content.get(log);
        byte[] cubin = new byte[content.remaining()];
        content.get(cubin);
        return Optional.of(new Compilation(cubin, new String(log, StandardCharsets.UTF_8), ""));
    }

    /** Another process may delete at the same time; then there is that much less to do here. */
    private void dropOldest() throws IOException {
        List<Kept> kept = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + ENDING)) {
            for (Path file : files) {
                kept.add(new Kept(
                        file, Files.size(file), Files.getLastModifiedTime(file).toMillis()));
            }
        } catch (NoSuchFileException e) {
            return;
        }
        long total = kept.stream().mapToLong(Kept::bytes).sum();
        kept.sort(Comparator.comparingLong(Kept::writtenAt).thenComparing(Kept::file));
        for (int i = 0; i < kept.size() && total > mostBytes; i++) {
            Files.deleteIfExists(kept.get(i).file());
            total -= kept.get(i).bytes();
        }
    }

    private record Kept(Path file, long bytes, long writtenAt) {}

    private static byte[] hash(byte[] content, int bytes) {
        MessageDigest digest = Sha256.digest();
        digest.update(content, 0, bytes);
        return digest.digest();
    }
}
