package dev.remat.ir.natives;

import dev.remat.ir.io.AbandonedFiles;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What can be made again, in a folder that nobody else can write to: one file each, found by the SHA-256 of everything
 * that it follows from. A file carries the SHA-256 of its own content, appears whole or not at all, and is no link.
 * Once files outgrow their limit, those go that were written or {@linkplain #use used} longest ago. Processes may share
 * the folder.
 */
public final class KeptFiles {
    private static final int HASH_BYTES = 32;

    private final Path folder;
    private final String kind;
    private final long mostBytes;

    private KeptFiles(Path folder, String kind, long mostBytes) {
        this.folder = folder;
        this.kind = kind;
        this.mostBytes = mostBytes;
    }

    /** How many files there are, and how long they are together. */
    public record Total(int files, long bytes) {}

    /**
     * @param folder for these files alone; made if it is missing
     * @param kind that names end with and files begin with; with a number that changes with what they contain
     * @param mostBytes that files may have all together
     * @throws IOException if the folder cannot be made, or others may write to it
     */
    public static KeptFiles open(Path folder, String kind, long mostBytes) throws IOException {
        return new KeptFiles(PrivateFolder.create(folder), kind, mostBytes);
    }

    /**
     * What was kept; empty if nothing was.
     *
     * @throws DamagedFileException if it is not what was kept
     * @throws IOException if it cannot be read
     */
    public Optional<byte[]> find(String key) throws IOException {
        byte[] file;
        try {
            BasicFileAttributes found = attributes(file(key));
            if (!found.isRegularFile() || found.size() > mostBytes + HASH_BYTES) {
                throw new DamagedFileException(file(key), "is no file that was kept");
            }
            try (InputStream in = Files.newInputStream(file(key), LinkOption.NOFOLLOW_LINKS)) {
                file = in.readAllBytes();
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        byte[] head = head();
        int end = file.length - HASH_BYTES;
        boolean isWhole = end >= head.length
                && Arrays.equals(hash(file, end), Arrays.copyOfRange(file, end, file.length))
                && Arrays.equals(head, Arrays.copyOf(file, head.length));
        if (!isWhole) {
            throw new DamagedFileException(file(key), "is cut or damaged");
        }
        return Optional.of(Arrays.copyOfRange(file, head.length, end));
    }

    /** Keeps content, instead of what is there; then drops what is too much. */
    public void keep(String key, byte[] content) throws IOException {
        byte[] head = head();
        int end = head.length + content.length;
        ByteBuffer file = ByteBuffer.allocate(end + HASH_BYTES);
        file.put(head).put(content);
        file.put(hash(file.array(), end));
        AtomicFile.writeOwn(file(key), file.array());
        dropOldest();
    }

    /** Says that a file was of use now, so that others go before it. */
    public void use(String key, FileTime now) throws IOException {
        Files.setLastModifiedTime(file(key), now);
    }

    /** Deletes a file if it is there. */
    public void drop(String key) throws IOException {
        Files.deleteIfExists(file(key));
    }

    /** What lies in a folder, be it there or not. */
    public static Total total(Path folder) throws IOException {
        List<Kept> kept = kept(folder);
        return new Total(kept.size(), kept.stream().mapToLong(Kept::bytes).sum());
    }

    private Path file(String key) {
        return folder.resolve(key + "." + kind);
    }

    private byte[] head() {
        return ("remat " + kind + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    private void dropOldest() throws IOException {
        AbandonedFiles.removeIn(folder);
        List<Kept> kept = new ArrayList<>(kept(folder));
        long total = kept.stream().mapToLong(Kept::bytes).sum();
        kept.sort(Comparator.comparingLong(Kept::usedAt).thenComparing(Kept::file));
        for (int i = 0; i < kept.size() && total > mostBytes; i++) {
            Files.deleteIfExists(kept.get(i).file());
            total -= kept.get(i).bytes();
        }
    }

    /** But for those that are being written; another process may delete files at the same time. */
    private static List<Kept> kept(Path folder) throws IOException {
        List<Kept> kept = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "[!.]*")) {
            for (Path file : files) {
                look(file).ifPresent(kept::add);
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return kept;
    }

    private static Optional<Kept> look(Path file) throws IOException {
        try {
            BasicFileAttributes found = attributes(file);
            return found.isDirectory()
                    ? Optional.empty()
                    : Optional.of(new Kept(
                            file, found.size(), found.lastModifiedTime().toMillis()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private record Kept(Path file, long bytes, long usedAt) {}

    private static byte[] hash(byte[] content, int bytes) {
        MessageDigest digest = Sha256.digest();
        digest.update(content, 0, bytes);
        return digest.digest();
    }
}
