package dev.remat.codegen.cuda.emit;

import dev.remat.ir.io.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Names for texts: the first twelve hexadecimal digits of their SHA-256. */
final class TextHash {
    private static final int BYTES = 6;

    private TextHash() {}

    static String of(String text) {
        byte[] digest = Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest, 0, BYTES);
    }
}
