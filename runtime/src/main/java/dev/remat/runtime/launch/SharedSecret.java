package dev.remat.runtime.launch;

import dev.remat.ir.natives.CacheFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * What proves that processes belong to one user's training, where nobody of ours has started them: what
 * {@code REMAT_TOKEN} says, else a key that is made once and that this user alone can read.
 *
 * @param bytes the secret itself
 * @param source where it is from, for messages
 */
public record SharedSecret(byte[] bytes, String source) {
    public static final String VARIABLE = "REMAT_TOKEN";
    private static final int KEY_BYTES = 32;
    /** What is shorter is soon guessed. */
    private static final int LEAST_CHARACTERS = 16;

    private static final String FILE = "ranks.key";
    private static final Set<PosixFilePermission> OWN =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    /**
     * Of this user.
     *
     * @param said what the variable says, if it is set
     * @throws IllegalArgumentException if that is short, or there is no folder for a key
     * @throws IOException if the key can be neither read nor made, or others can read it
     */
    public static SharedSecret find(Optional<String> said, CacheFolder cache) throws IOException {
        if (said.isPresent()) {
            if (said.get().length() < LEAST_CHARACTERS) {
                throw new IllegalArgumentException(VARIABLE + " has less than " + LEAST_CHARACTERS
                        + " characters; 'openssl rand -hex 32' makes one");
            }
            return new SharedSecret(said.get().getBytes(StandardCharsets.UTF_8), VARIABLE);
        }
        Path folder = cache.path()
                .orElseThrow(() -> new IllegalArgumentException("there is no home for the key by which ranks know"
                        + " each other; set " + VARIABLE + " to the same text for all"));
        Path file = folder.resolve(FILE);
        if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
            make(folder, file);
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
        if (!OWN.containsAll(permissions)) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    "can be read by others (" + PosixFilePermissions.toString(permissions)
                            + "), and is to be a secret; delete it, and the next start makes another");
        }
        return new SharedSecret(Files.readAllBytes(file), file.toString());
    }

    /** A new one. */
    public static String newToken() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return HexFormat.of().formatHex(key);
    }

    /** Whole or not at all, whoever else does so meanwhile. */
    private static void make(Path folder, Path file) throws IOException {
        Files.createDirectories(folder);
        Path made = Files.createTempFile(folder, FILE, ".new", PosixFilePermissions.asFileAttribute(OWN));
        try {
            try (FileChannel out = FileChannel.open(made, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                ByteBuffer token = StandardCharsets.US_ASCII.encode(newToken());
                while (token.hasRemaining()) {
                    out.write(token);
                }
            }
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            // Another process was faster; its key is as good.
            return;
        } finally {
            Files.delete(made);
        }
    }
}
