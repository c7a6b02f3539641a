package dev.remat.ir.artifact;

import dev.remat.ir.io.Sha256;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** SHA-256 of whole contents, as 64 lower-case hexadecimal digits. */
public final class ContentHash {
    private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{64}");

    private ContentHash() {}

    public static String of(byte[] content) {
        return HexFormat.of().formatHex(Sha256.digest().digest(content));
    }

    /** @throws IllegalArgumentException if {@code text} is no hash */
    static void require(String text) {
        if (!DIGITS.matcher(text).matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is no SHA-256");
        }
    }
}
