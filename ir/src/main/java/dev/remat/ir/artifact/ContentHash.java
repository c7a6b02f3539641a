package dev.remat.ir.artifact;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** SHA-256 of whole contents, as 64 lower-case hexadecimal digits. */
public final class ContentHash {
    private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{64}");

    private ContentHash() {}

    public static String of(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** @throws IllegalArgumentException if {@code text} is no hash */
    static void require(String text) {
        if (!DIGITS.matcher(text).matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is no SHA-256");
        }
    }
}
