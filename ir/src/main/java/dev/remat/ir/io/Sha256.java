package dev.remat.ir.io;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The hash by which models, plans, artifacts and checkpoints are known. */
public final class Sha256 {
    private Sha256() {}

    /** A digest of nothing yet. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Ends {@code digest} and gives its 64 lower-case hexadecimal digits. */
    public static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
